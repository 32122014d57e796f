/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/damage.h"

#include <stdarg.h>

void damage_add(struct damage *damage, uint64_t lost_events, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	warnings_add_args(&damage->warnings, fmt, args);
	va_end(args);
	damage->found = true;
	if (__builtin_add_overflow(damage->lost_events, lost_events, &damage->lost_events))
		damage->lost_events = UINT64_MAX;
}
