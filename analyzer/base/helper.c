/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/helper.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"

#define STACK_BYTES (256u << 10) /* it counts against --mem-limit */

struct helper {
	void (*work)(struct helper_job *job);
	struct helper_job *first, **end; /* those that wait */
	bool has_thread, is_over;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t posted, done;
};

/* Under the lock. */
static struct helper_job *take_first(struct helper *helper)
{
	struct helper_job *job = helper->first;

	if (!job)
		return NULL;
	helper->first = job->next;
	if (!helper->first)
		helper->end = &helper->first;
	job->state = HELPER_AT_WORK;
	return job;
}

/* Under the lock. */
static void take_out(struct helper *helper, struct helper_job *job)
{
	struct helper_job **at = &helper->first;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
	if (!*at)
		helper->end = at;
}

static void *run(void *owner)
{
	struct helper *helper = owner;

	pthread_mutex_lock(&helper->lock);
	while (!helper->is_over) {
		struct helper_job *job = take_first(helper);

		if (!job) {
			pthread_cond_wait(&helper->posted, &helper->lock);
			continue;
		}
		pthread_mutex_unlock(&helper->lock);
		helper->work(job);
		pthread_mutex_lock(&helper->lock);
		job->state = HELPER_DONE;
		pthread_cond_signal(&helper->done);
	}
	pthread_mutex_unlock(&helper->lock);
	return NULL;
}

static bool has_second_processor(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof(set), &set) && CPU_COUNT(&set) > 1;
}

/* Signals are for the first thread. */
static bool start_thread(struct helper *helper)
{
	pthread_attr_t attributes;
	sigset_t all, old;
	int failed;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&helper->thread, &attributes, run, helper);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attributes);
	return !failed;
}

struct helper *helper_new(void (*work)(struct helper_job *job), bool with_thread)
{
	struct helper *helper = xcalloc(1, sizeof(*helper));

	helper->work = work;
	helper->end = &helper->first;
	pthread_mutex_init(&helper->lock, NULL);
	pthread_cond_init(&helper->posted, NULL);
	pthread_cond_init(&helper->done, NULL);
	helper->has_thread = with_thread && has_second_processor() && start_thread(helper);
	return helper;
}

bool helper_has_thread(const struct helper *helper)
{
	return helper->has_thread;
}

void helper_free(struct helper *helper)
{
	if (!helper)
		return;
	if (helper->has_thread) {
		pthread_mutex_lock(&helper->lock);
		helper->is_over = true;
		pthread_cond_signal(&helper->posted);
		pthread_mutex_unlock(&helper->lock);
		pthread_join(helper->thread, NULL);
	}
	pthread_mutex_destroy(&helper->lock);
	pthread_cond_destroy(&helper->posted);
	pthread_cond_destroy(&helper->done);
	free(helper);
}

void helper_post(struct helper *helper, struct helper_job *job)
{
	pthread_mutex_lock(&helper->lock);
	job->state = HELPER_POSTED;
	job->next = NULL;
	*helper->end = job;
	helper->end = &job->next;
	pthread_cond_signal(&helper->posted);
	pthread_mutex_unlock(&helper->lock);
}

void helper_wait(struct helper *helper, struct helper_job *job)
{
	pthread_mutex_lock(&helper->lock);
	if (job->state == HELPER_POSTED && !helper->has_thread) {
		take_out(helper, job);
		helper->work(job);
		job->state = HELPER_DONE;
	}
	while (job->state != HELPER_DONE)
		pthread_cond_wait(&helper->done, &helper->lock);
	job->state = HELPER_IDLE;
	pthread_mutex_unlock(&helper->lock);
}
