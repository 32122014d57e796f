/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace, whole, written again for others: what names the program, its machine and its parts has
 * other names (base/pseudonyms.h), and every event is what it was. docs/evidence.md says what is
 * replaced and what stays.
 */
#ifndef XALLOC_TRACE_ANONYMIZE_H
#define XALLOC_TRACE_ANONYMIZE_H

#include "analyzer/base/err.h"
#include "analyzer/base/pseudonyms.h"
#include "analyzer/trace/trace.h"

/* As compact_write, which does the most of it. */
int anonymize_write(struct trace *trace, const char *path, const char *name,
		    const struct pseudonyms *pseudonyms, struct err *err);

/* The module as it is called there. Release its path and build ID with free(); the rest is the
 * module's. */
struct module anonymize_module(const struct module *module, const struct pseudonyms *pseudonyms);

#endif
