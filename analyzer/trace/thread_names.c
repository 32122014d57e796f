/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/thread_names.h"

#include <string.h>

#include "preload/trace/format.h"

#define THREADS_MAX (1u << 25) /* a number is a place in the table: not any of a damaged trace */

struct thread_name {
	uint32_t order;
	char text[XT_THREAD_NAME_BYTES]; /* without one there is none */
};

void thread_names_init(struct thread_names *names)
{
	*names = (struct thread_names){ .end = 0 };
	page_table_init(&names->name, sizeof(struct thread_name));
}

void thread_names_release(struct thread_names *names)
{
	page_table_release(&names->name);
}

bool thread_names_add(struct thread_names *names, const uint8_t *payload, size_t size)
{
	struct xt_thread_name head;
	struct thread_name *name;

	if (size < sizeof(head))
		return false;
	memcpy(&head, payload, sizeof(head));
	if (head.bytes > size - sizeof(head) || head.bytes >= sizeof(name->text))
		return false;
	if (head.thread >= THREADS_MAX)
		return true;
	name = page_table_make(&names->name, head.thread);
	if (name->text[0] && head.order < name->order)
		return true;
	*name = (struct thread_name){ .order = head.order };
	memcpy(name->text, payload + sizeof(head), head.bytes);
	if (head.thread >= names->end)
		names->end = head.thread + 1;
	return true;
}

const char *thread_names_find(const struct thread_names *names, uint32_t thread)
{
	const struct thread_name *name = page_table_find(&names->name, thread);

	return name && name->text[0] ? name->text : NULL;
}

bool thread_names_fits(const struct thread_names *names, uint32_t thread, uint32_t number,
		       const char *name)
{
	const char *own;

	if (!name)
		return thread == number;
	own = thread_names_find(names, thread);
	return own && !strcmp(own, name);
}

bool thread_names_has(const struct thread_names *names, const char *name)
{
	for (uint32_t i = 0; i < names->end; i++) {
		const char *text = thread_names_find(names, i);

		if (text && !strcmp(text, name))
			return true;
	}
	return false;
}
