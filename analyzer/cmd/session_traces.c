/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/cmd/session_traces.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"
#include "analyzer/cmd/analysis.h"
#include "analyzer/cmd/trace_list.h"
#include "analyzer/trace/trace.h"
#include "analyzer/trace/trace_header.h"

static bool is_boot_the_same(const struct xt_header *a, const struct xt_header *b)
{
	return !memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
}

static bool is_same_program(const struct xt_header *a, const struct xt_header *b)
{
	return a->pid == b->pid && a->start_time == b->start_time && a->image == b->image;
}

static bool is_of_session(const struct xt_header *a, const struct xt_header *b)
{
	return a->session_pid == b->session_pid && a->session_start_time == b->session_start_time &&
	       is_boot_the_same(a, b) && !is_same_program(a, b);
}

/* However both are written. */
static bool is_given(const struct strlist *given, const char *path)
{
	char *real = realpath(path, NULL);
	bool found = false;

	for (size_t i = 0; real && i < given->count && !found; i++) {
		char *other = realpath(given->text[i], NULL);

		found = other && !strcmp(real, other);
		free(other);
	}
	free(real);
	return found;
}

static void find(struct strlist *names, const struct trace *trace, const struct strlist *given)
{
	const char *path = trace_path(trace), *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash + 1 - path)) : xstrdup(".");
	struct trace_list list = { .has_folder = false };

	trace_list_add(&list, folder, NULL); /* one that is not to be read has none */
	for (size_t i = 0; i < list.path.count; i++) {
		const char *other = list.path.text[i];
		struct xt_header header;

		if (trace_header_read(&header, other, NULL) ||
		    !is_of_session(&header, trace_header(trace)) || is_given(given, other))
			continue;
		strlist_take(names, xstrdup(strrchr(other, '/') + 1));
	}
	trace_list_release(&list);
	free(folder);
}

void session_traces_warn(struct warnings *warnings, const struct summary *summary,
			 const struct strlist *given)
{
	struct strlist names = { .count = 0 };

	if (summary->end.next)
		warnings_add(warnings, "the process went on by exec as the program of %s",
			     summary->end.next);
	else if (!strcmp(summary->end.text, "exec"))
		warnings_add(warnings, "the process went on by exec as another program");
	find(&names, summary->trace, given);
	if (names.count)
		warnings_add(warnings,
			     "%s of its session beside it, as %s, not looked at: "
			     "a folder stands for all of its traces",
			     number_of(names.count, "more trace").text, names.text[0]);
	strlist_release(&names);
}

void session_traces_say(const struct summary *first, const char *const *path, size_t paths)
{
	struct warnings warnings = { .count = 0 };
	struct strlist given = { .count = 0 };

	for (size_t i = 0; i < paths; i++)
		strlist_take(&given, xstrdup(path[i]));
	session_traces_warn(&warnings, first, &given);
	for (size_t i = 0; i < warnings.count; i++)
		print_error("%s: %s", trace_path(first->trace), warnings.text[i]);
	warnings_release(&warnings);
	strlist_release(&given);
}
