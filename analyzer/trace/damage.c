/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/trace/damage.h"

#include <stdarg.h>
#include <stdio.h>

void damage_add(struct damage *damage, uint64_t lost_events, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	warnings_add(&damage->warnings, "%s", text);
	damage->found = true;
	if (__builtin_add_overflow(damage->lost_events, lost_events, &damage->lost_events))
		damage->lost_events = UINT64_MAX;
}
