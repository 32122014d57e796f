/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/process_end.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

/* Whether the first `length` bytes of text end in `end`. */
static bool ends_in(const char *text, size_t length, const char *end)
{
	const size_t bytes = strlen(end);

	return length >= bytes && !memcmp(text + length - bytes, end, bytes);
}

char *process_end_next_path(const struct trace *trace)
{
	const uint32_t image = trace_header(trace)->image;
	const char *path = trace_path(trace);
	const char *suffix = ends_in(path, strlen(path), ".zst") ? ".zst" : "";
	size_t length = strlen(path) - strlen(suffix);
	char own[24];

	/* NAME.execK.zst -> NAME.exec{K+1}.zst; image 0 has no .execK. */
	snprintf(own, sizeof(own), ".exec%" PRIu32, image);
	if (image && ends_in(path, length, own))
		length -= strlen(own);
	return xasprintf("%.*s.exec%" PRIu64 "%s", (int)length, path, (uint64_t)image + 1, suffix);
}

static bool is_next_image(const struct xt_header *old, const struct xt_header *new)
{
	return !memcmp(old->boot_id, new->boot_id, sizeof(old->boot_id)) && old->pid == new->pid &&
	       old->start_time == new->start_time &&new->image == (uint64_t)old->image + 1;
}

static void set_text(struct process_end *end, const char *text)
{
	snprintf(end->text, sizeof(end->text), "%s", text);
}

void process_end_find(struct process_end *end, const struct trace *trace,
		      const struct xt_header *next)
{
	const struct xt_header *header = trace_header(trace);

	*end = (struct process_end){ .next = NULL };
	if (header->state == XT_STATE_ENDED &&
	    (header->exit_kind == XT_EXIT_STATUS || header->exit_kind == XT_EXIT_UNSEEN)) {
		snprintf(end->text, sizeof(end->text), "exit:%" PRIu32,
			 header->exit_status / XT_SURE);
		return;
	}
	if (header->state == XT_STATE_ENDED && header->exit_kind == XT_EXIT_SIGNAL) {
		snprintf(end->text, sizeof(end->text), "signal:%" PRIu32,
			 header->exit_status / XT_SURE);
		return;
	}
	if (trace_is_live(trace)) {
		set_text(end, "running");
		return;
	}
	if (next && is_next_image(header, next))
		end->next = process_end_next_path(trace);
	if (end->next || header->exit_kind == XT_EXIT_EXEC)
		set_text(end, "exec");
	else if (trace_is_damaged(trace) && !trace_exe(trace))
		set_text(end, "unknown"); /* little more than a header is left, and of when? */
	else if (header->state >= XT_STATE_RECORDING && header->state <= XT_STATE_ENDED)
		set_text(end, "killed");
	else
		set_text(end, "unknown");
}

void process_end_release(struct process_end *end)
{
	free(end->next);
	end->next = NULL;
}
