/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/check_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/base/number.h"

#define SHOWN_MAX 10u /* problems of one check; the rest is counted */

static const char *const names[CHECK_COUNT] = {
	[CHECK_FRAMES] = "frames",
	[CHECK_CHECKSUMS] = "checksums",
	[CHECK_SEQUENCE] = "sequence",
	[CHECK_COUNTS] = "counts",
	[CHECK_STAMPS] = "stamps",
	[CHECK_EVENTS] = "events",
	[CHECK_RECORDER_TOTALS] = "recorder-totals",
	[CHECK_COMPLETE] = "complete",
	[CHECK_THREADS] = "threads",
	[CHECK_OVERLAP] = "overlap",
	[CHECK_USABLE_OVERLAP] = "usable-overlap",
	[CHECK_USABLE_SIZES] = "usable-sizes",
	[CHECK_REALLOCS] = "reallocs",
	[CHECK_SUMS] = "sums",
	[CHECK_TOTALS] = "totals",
	[CHECK_STACKS] = "stacks",
	[CHECK_HEAP_IN_USE] = "heap-in-use",
	[CHECK_HEAP_MAPPED] = "heap-mapped",
};

void check_list_init(struct verify_report *report)
{
	*report = (struct verify_report){ .checks = CHECK_COUNT };
	report->check = xcalloc(CHECK_COUNT, sizeof(*report->check));
	for (size_t i = 0; i < CHECK_COUNT; i++) {
		report->check[i].name = names[i];
		report->check[i].text = xstrdup("");
	}
}

static char *format(const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		out_of_memory(0);
	return text;
}

void check_say(struct verify_report *report, enum check_id id, const char *fmt, ...)
{
	struct verify_check *check = &report->check[id];
	va_list args;

	if (check->state == VERIFY_NOT_CHECKED)
		return;
	va_start(args, fmt);
	free(check->text);
	check->text = format(fmt, args);
	va_end(args);
}

void check_fail(struct verify_report *report, enum check_id id, const char *fmt, ...)
{
	struct verify_check *check;
	va_list args;

	if (!report || report->check[id].state == VERIFY_NOT_CHECKED)
		return;
	check = &report->check[id];
	check->state = VERIFY_FAILED;
	if (check->problem_count++ >= SHOWN_MAX)
		return;
	va_start(args, fmt);
	strlist_take(&check->problems, format(fmt, args));
	va_end(args);
}

void check_skip(struct verify_report *report, enum check_id id, const char *fmt, ...)
{
	struct verify_check *check = &report->check[id];
	va_list args;

	if (check->state != VERIFY_OK)
		return;
	check->state = VERIFY_NOT_CHECKED;
	va_start(args, fmt);
	free(check->text);
	check->text = format(fmt, args);
	va_end(args);
}

static void forget(struct verify_check *check)
{
	strlist_release(&check->problems);
	check->problem_count = 0;
	free(check->text);
}

void check_void(struct verify_report *report, enum check_id id, const char *why)
{
	struct verify_check *check = &report->check[id];

	forget(check);
	check->state = VERIFY_NOT_CHECKED;
	check->text = xstrdup(why);
}

void check_excuse(struct verify_report *report, enum check_id id, const char *fmt, ...)
{
	struct verify_check *check = &report->check[id];
	va_list args;

	forget(check);
	check->state = VERIFY_OK;
	va_start(args, fmt);
	check->text = format(fmt, args);
	va_end(args);
}

void check_equal(struct verify_report *report, enum check_id id, const char *figure, char *stack,
		 uint64_t said, uint64_t second)
{
	struct verify_check *check = &report->check[id];

	if (said == second) {
		free(stack);
		return;
	}
	check->state = VERIFY_FAILED;
	if (check->difference_count++ >= SHOWN_MAX) {
		free(stack);
		return;
	}
	check->difference = xreallocarray(check->difference, check->differences + 1,
					  sizeof(*check->difference));
	check->difference[check->differences++] =
		(struct verify_difference){ figure, stack, said, second };
}

char *verify_difference_text(const struct verify_difference *difference)
{
	return xasprintf("%s: %s in the report, %s by the second way%s%s", difference->figure,
			 number_count(difference->report).text,
			 number_count(difference->second).text, difference->stack ? ": " : "",
			 difference->stack ? difference->stack : "");
}

void check_list_close(struct verify_report *report)
{
	for (size_t i = 0; i < report->checks; i++) {
		struct verify_check *check = &report->check[i];

		if (check->state != VERIFY_FAILED)
			continue;
		free(check->text);
		check->text = check->problems.count ? xstrdup(check->problems.text[0])
						    : verify_difference_text(&check->difference[0]);
	}
}

void verify_release(struct verify_report *report)
{
	for (size_t i = 0; i < report->checks; i++) {
		struct verify_check *check = &report->check[i];

		free(check->text);
		strlist_release(&check->problems);
		for (size_t j = 0; j < check->differences; j++)
			free(check->difference[j].stack);
		free(check->difference);
	}
	free(report->check);
	*report = (struct verify_report){ 0 };
}

bool verify_holds(const struct verify_report *report)
{
	for (size_t i = 0; i < report->checks; i++)
		if (report->check[i].state == VERIFY_FAILED)
			return false;
	return true;
}
