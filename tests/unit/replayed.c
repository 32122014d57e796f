/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/replayed.h"

#include <check.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static struct replayed replay(const struct trace_builder *builder, bool is_live)
{
	char path[] = "/tmp/xalloc-unit.XXXXXX";
	struct replayed replayed = { 0 };
	struct err err = { 0 };
	int status, fd;

	builder_save(builder, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert(!is_live || !flock(fd, LOCK_EX));
	status = trace_open(&replayed.trace, path, &err);
	unlink(path);
	close(fd);
	ck_assert_msg(status == 0, "%s", err.text);
	replay_run(replayed.trace, &replayed.result, NULL);
	check_sums(&replayed.result);
	return replayed;
}

struct replayed replay_of(const struct trace_builder *builder)
{
	return replay(builder, false);
}

struct replayed replay_live(const struct trace_builder *builder)
{
	return replay(builder, true);
}

void replayed_release(struct replayed *replayed)
{
	result_release(&replayed->result);
	trace_close(replayed->trace);
}

static bool is_stack(const struct stack_tree *tree, uint32_t node, const uint32_t *stack,
		     uint32_t depth)
{
	for (; depth; depth--) {
		if (!node || stack_tree_frame(tree, node) != stack[depth - 1])
			return false;
		node = stack_tree_parent(tree, node);
	}
	return node == 0;
}

const struct stack_totals *find_stack(const struct result *result, const uint32_t *stack,
				      uint32_t depth)
{
	for (size_t i = 0; i < result->stacks; i++) {
		if (is_stack(result->tree, result->stack[i].node, stack, depth))
			return &result->stack[i];
	}
	return NULL;
}

bool has_warning(const struct trace *trace, const char *part)
{
	const struct warnings *warnings = trace_warnings(trace);

	for (size_t i = 0; i < warnings->count; i++) {
		if (strstr(warnings->text[i], part))
			return true;
	}
	return false;
}

void check_sums(const struct result *result)
{
	const struct totals *totals = &result->totals;
	struct stack_totals sum = { 0 };

	for (size_t i = 0; i < result->stacks; i++) {
		sum.calls += result->stack[i].calls;
		sum.bytes += result->stack[i].bytes;
		sum.temporary += result->stack[i].temporary;
		sum.live_bytes += result->stack[i].live_bytes;
		sum.live_blocks += result->stack[i].live_blocks;
		sum.peak_bytes += result->stack[i].peak_bytes;
		sum.peak_blocks += result->stack[i].peak_blocks;
	}
	ck_assert_uint_eq(sum.calls, totals->allocation_calls);
	ck_assert_uint_eq(sum.bytes, totals->allocated_bytes);
	ck_assert_uint_eq(sum.temporary, totals->temporary_calls);
	ck_assert_uint_eq(sum.live_bytes, totals->leaked_bytes);
	ck_assert_uint_eq(sum.live_blocks, totals->leaked_calls);
	ck_assert_uint_eq(sum.peak_bytes, totals->peak_bytes);
	ck_assert_uint_eq(sum.peak_blocks, totals->peak_blocks);
	ck_assert_uint_eq(totals->freed_blocks + totals->realloc_frees + totals->unseen_frees +
			  totals->leaked_calls, totals->allocation_calls);
	ck_assert_uint_eq(totals->calls_malloc + totals->calls_calloc + totals->calls_realloc +
			  totals->calls_aligned + totals->calls_new, totals->allocation_calls);
}

uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9E3779B97F4A7C15u;

	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
	x = (x ^ x >> 27) * 0x94D049BB133111EBu;
	return x ^ x >> 31;
}
