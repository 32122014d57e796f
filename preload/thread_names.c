/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/thread_names.h"

#include <linux/prctl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/life.h"
#include "preload/store/records.h"
#include "preload/sys/stack.h"
#include "preload/sys/syscall.h"
#include "preload/sys/text.h"

#define FIRST_STEP 64u         /* bytes of events */
#define LAST_STEP 32768u       /* then the chunk's end is near */
#define THREADS_ASKED_MAX 1024 /* the end does no work that grows with their number */

static _Atomic uint32_t names; /* that were written */

void thread_names_begin(struct stream *s, const struct stream *other)
{
	memset(s->name, 0, sizeof(s->name));
	if (other)
		memcpy(s->name, other->name, sizeof(s->name));
	s->name_step = FIRST_STEP;
	s->name_until = stream_at(s) + FIRST_STEP;
}

static void write_name(uint32_t thread, const char *name)
{
	const struct xt_thread_name head = { thread, atomic_fetch_add(&names, 1),
					     (uint32_t)text_length(name), 0 };
	const struct records_piece piece[] = { { &head, sizeof(head) }, { name, head.bytes } };

	records_add(XT_RECORD_THREAD_NAME, piece, 2);
}

/* Whether the calling thread has another name than s says: it is there now. */
static int renamed(struct stream *s)
{
	char name[XT_THREAD_NAME_BYTES] = "";

	/* a vfork child has its parent's streams */
	if (sys_call0(SYS_gettid) != (long)s->tid || sys_call2(SYS_prctl, PR_GET_NAME, name) < 0)
		return 0;
	name[sizeof(name) - 1] = 0;
	if (text_equal(name, s->name))
		return 0;
	memcpy(s->name, name, sizeof(name));
	return 1;
}

void thread_names_look(struct stream *s)
{
	if (renamed(s))
		write_name(s->thread, s->name);
}

static void write_job(void *arg, int is_private)
{
	struct stream *s = arg;

	if (is_private)
		write_name(s->thread, s->name);
	else
		s->name[0] = 0; /* the next time */
}

__attribute__((noinline)) void thread_names_look_again(struct stream *s)
{
	s->name_step = s->name_step && s->name_step < LAST_STEP ? 2 * s->name_step : 0;
	s->name_until = s->name_step ? stream_at(s) + s->name_step : s->end;
	if (renamed(s))
		stack_run(write_job, s);
}

/* In another pid namespace's /proc the numbers of threads are others. */
static int proc_is_ours(void)
{
	char number[16] = "", own[16];
	struct text t = text_init(own, sizeof(own));

	text_add_number(&t, (uint64_t)life_pid());
	return sys_call3(SYS_readlink, "/proc/self", number, sizeof(number) - 1) > 0 &&
	       text_equal(number, own);
}

/* Of a stream that another thread may be writing to, or be about to take over. */
static void ask_for(struct stream *s)
{
	char path[64], name[XT_THREAD_NAME_BYTES + 1] = "";
	struct text t = text_init(path, sizeof(path));
	const uint32_t thread = s->thread, tid = s->tid;
	long length;

	text_add(&t, "/proc/self/task/");
	text_add_number(&t, tid);
	text_add(&t, "/comm");
	length = text_read_file(path, name, sizeof(name));
	if (length <= 0 || s->thread != thread || s->tid != tid)
		return;
	if (name[length - 1] == '\n')
		name[length - 1] = 0;
	if (!text_equal(name, s->name))
		write_name(thread, name);
}

struct asking {
	long tid;
	int is_proc_ours, asked;
};

static void look_at(struct stream *s, void *arg)
{
	struct asking *asking = arg;

	if ((long)s->tid == asking->tid)
		thread_names_look(s);
	else if (asking->is_proc_ours && asking->asked++ < THREADS_ASKED_MAX)
		ask_for(s);
}

void thread_names_finish(void)
{
	struct asking asking = { sys_call0(SYS_gettid), proc_is_ours(), 0 };

	streams_each(look_at, &asking);
}
