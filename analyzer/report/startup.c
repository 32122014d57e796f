/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/startup.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const process_names[] = { "__libc_start_main", "__libc_start_main_impl",
					     "__libc_start_call_main", NULL };
static const char *const thread_names[] = { "start_thread", "clone",        "__clone", "clone3",
					    "__clone3",     "thread_start", NULL };

static bool is_libc(const struct frame_name *frame)
{
	return frame->module && !strcmp(module_base_name(frame->module), "libc.so.6");
}

static bool is_one_of(const char *function, const char *const *names)
{
	while (*names && strcmp(*names, function))
		names++;
	return *names != NULL;
}

bool startup_knows(const char *function)
{
	return !strcmp(function, "main") || !strcmp(function, "_start") ||
	       is_one_of(function, process_names) || is_one_of(function, thread_names);
}

static bool is_starter(const struct frame_name *frame, const char *const *names)
{
	if (!is_libc(frame))
		return false;
	if (!frame->has_symbol)
		return true;
	return is_one_of(frame->function, names);
}

static bool is_start(const struct frame_name *frame)
{
	return frame->module && frame->module->is_main && frame->has_symbol &&
	       !strcmp(frame->function, "_start");
}

enum startup_state startup_step(enum startup_state state, const struct frame_name *frame,
				enum startup_drop *drop)
{
	*drop = STARTUP_DROP_NOTHING;
	switch (state) {
	case STARTUP_ROOT:
		if (is_start(frame))
			return STARTUP_START;
		return is_starter(frame, thread_names) ? STARTUP_THREAD : STARTUP_BODY;
	case STARTUP_START:
		return is_starter(frame, process_names) ? STARTUP_LIBC : STARTUP_BODY;
	case STARTUP_LIBC:
		if (is_starter(frame, process_names))
			return STARTUP_LIBC;
		if (!is_libc(frame))
			*drop = strcmp(frame->function, "main") ? STARTUP_DROP_LIBC
								: STARTUP_DROP_ALL;
		return STARTUP_BODY;
	case STARTUP_THREAD:
		if (is_starter(frame, thread_names))
			return STARTUP_THREAD;
		if (!is_libc(frame))
			*drop = STARTUP_DROP_ALL;
		return STARTUP_BODY;
	case STARTUP_BODY:
		break;
	}
	return STARTUP_BODY;
}
