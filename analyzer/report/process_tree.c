/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/report/process_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

void process_tree_add(struct process_tree *tree, const struct trace *trace,
		      const struct result *result, const struct process_end *end)
{
	struct process_row *row;

	if (tree->count == tree->capacity) {
		tree->capacity = tree->capacity ? 2 * tree->capacity : 16;
		tree->row = xreallocarray(tree->row, tree->capacity, sizeof(*tree->row));
	}
	row = &tree->row[tree->count++];
	*row = (struct process_row){
		.path = xstrdup(trace_path(trace)),
		.exe = xstrdup(trace_exe(trace) ? trace_exe(trace) : ""),
		.header = *trace_header(trace),
		.totals = result->totals,
		.lost_events = trace_lost_events(trace),
		.is_complete = trace_is_complete(trace),
		.is_damaged = trace_is_damaged(trace),
		.has_times = !trace_has_dropped(trace, TRACE_STAMPS),
	};
	memcpy(row->end, end->text, sizeof(row->end));
	for (size_t i = 0; i < trace_argc(trace); i++)
		strlist_take(&row->argv, xstrdup(trace_argv(trace)[i]));
	if (row->is_damaged)
		for (size_t i = 0; i < trace_warnings(trace)->count; i++)
			warnings_add(&tree->warnings, "%s: %s", row->path,
				     trace_warnings(trace)->text[i]);
}

void process_tree_add_unreadable(struct process_tree *tree, const char *path, const char *error)
{
	tree->unreadable =
		xreallocarray(tree->unreadable, tree->unreadables + 1, sizeof(*tree->unreadable));
	tree->unreadable[tree->unreadables++] =
		(struct process_unreadable){ xstrdup(path), xstrdup(error) };
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Of one process its programs follow each other, the first one first. */
static int compare_programs(const void *left, const void *right, void *rows)
{
	const struct process_row *row = rows, *a = &row[*(const size_t *)left],
				 *b = &row[*(const size_t *)right];
	int order = memcmp(a->header.boot_id, b->header.boot_id, sizeof(a->header.boot_id));

	if (!order)
		order = compare(a->header.pid, b->header.pid);
	if (!order)
		order = compare(a->header.start_time, b->header.start_time);
	if (!order)
		order = compare(a->header.image, b->header.image);
	if (!order)
		order = compare(a->header.first_pair.ns, b->header.first_pair.ns);
	return order ? order : strcmp(a->path, b->path);
}

static int compare_starts(const void *left, const void *right, void *rows)
{
	const struct process_row *row = rows, *a = &row[*(const size_t *)left],
				 *b = &row[*(const size_t *)right];
	int order = memcmp(a->header.boot_id, b->header.boot_id, sizeof(a->header.boot_id));

	if (!order)
		order = compare(a->header.start_time, b->header.start_time);
	if (!order)
		order = compare(a->header.first_pair.ns, b->header.first_pair.ns);
	return order ? order : compare_programs(left, right, rows);
}

static bool is_same_process(const struct process_row *a, const struct process_row *b)
{
	return a->header.pid == b->header.pid && a->header.start_time == b->header.start_time &&
	       !memcmp(a->header.boot_id, b->header.boot_id, sizeof(a->header.boot_id));
}

static bool is_same_session(const struct xt_header *a, const struct xt_header *b)
{
	return a->session_pid == b->session_pid && a->session_start_time == b->session_start_time &&
	       !memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
}

/* A copy, or the same trace made smaller. */
static bool is_same_trace(const struct process_row *a, const struct process_row *b)
{
	return is_same_process(a, b) && a->header.image == b->header.image &&
	       a->header.forked == b->header.forked &&
	       a->header.first_pair.ns == b->header.first_pair.ns &&
	       a->totals.events == b->totals.events &&
	       a->totals.allocated_bytes == b->totals.allocated_bytes;
}

/* Links the programs of each process. Returns how many processes there are; first[] is then the
 * first program of each, in the order of compare_programs. */
static size_t join_programs(struct process_tree *tree, size_t *first)
{
	size_t processes = 0, last = PROCESS_NONE;

	for (size_t i = 0; i < tree->count; i++)
		first[i] = i;
	qsort_r(first, tree->count, sizeof(*first), compare_programs, tree->row);
	for (size_t i = 0; i < tree->count; i++) {
		const size_t at = first[i];
		struct process_row *row = &tree->row[at];

		row->parent = row->before = row->same_as = row->after = PROCESS_NONE;
		row->first_child = row->next_sibling = PROCESS_NONE;
		if (last == PROCESS_NONE || !is_same_process(&tree->row[last], row)) {
			first[processes++] = last = at;
			continue;
		}
		row->before = last;
		if (is_same_trace(&tree->row[last], row))
			row->same_as = tree->row[last].same_as == PROCESS_NONE
					       ? last
					       : tree->row[last].same_as;
		tree->row[last].after = at;
		last = at;
	}
	return processes;
}

/* The latest process of that number in the session of row which is not younger than row and not
 * row's own. PROCESS_NONE: none. */
static size_t find_process(const struct process_tree *tree, const size_t *first, size_t processes,
			   uint32_t pid, const struct process_row *row)
{
	const struct xt_header *header = &row->header;
	size_t low = 0, high = processes;

	while (low < high) { /* the first behind those of that number that may be */
		const size_t middle = low + (high - low) / 2;
		const struct xt_header *other = &tree->row[first[middle]].header;
		int order = memcmp(other->boot_id, header->boot_id, sizeof(header->boot_id));

		if (!order)
			order = compare(other->pid, pid);
		if (!order)
			order = other->start_time <= header->start_time ? -1 : 1;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low--) {
		const struct process_row *other = &tree->row[first[low]];

		if (other->header.pid != pid)
			break;
		if (is_same_session(&other->header, header) && !is_same_process(other, row))
			return first[low];
	}
	return PROCESS_NONE;
}

static bool began_session(const struct xt_header *header)
{
	return header->pid == header->session_pid &&
	       header->start_time == header->session_start_time;
}

/* Which of the programs of a process, of which `at` is the first, started the child: the session's
 * first process tells its number; of others it is the last that had begun. */
static size_t pick_program(const struct process_tree *tree, size_t at,
			   const struct process_row *child)
{
	size_t program = at;

	for (size_t i = at; i != PROCESS_NONE; i = tree->row[i].after) {
		const struct xt_header *header = &tree->row[i].header;

		if (tree->row[i].same_as != PROCESS_NONE)
			continue;
		if (began_session(header)) {
			if (header->image <= child->header.session_image)
				program = i;
		} else if (header->first_pair.ns <= child->header.first_pair.ns) {
			program = i;
		}
	}
	return program;
}

/* Would a child of `parent` be above itself? Headers may say anything. */
static bool is_below(const struct process_tree *tree, size_t parent, size_t child)
{
	for (size_t at = parent; at != PROCESS_NONE; at = tree->row[at].parent) {
		while (tree->row[at].before != PROCESS_NONE)
			at = tree->row[at].before;
		if (at == child)
			return true;
	}
	return false;
}

static void find_parents(struct process_tree *tree, const size_t *first, size_t processes)
{
	for (size_t i = 0; i < processes; i++) {
		struct process_row *row = &tree->row[first[i]];
		const struct xt_header *header = &row->header;
		size_t parent;

		if (began_session(header))
			continue;
		parent = find_process(tree, first, processes, header->ppid, row);
		if (parent == PROCESS_NONE || is_below(tree, parent, first[i])) {
			row->misses_parent = true;
			parent = find_process(tree, first, processes, header->session_pid, row);
		}
		if (parent == PROCESS_NONE || is_below(tree, parent, first[i]))
			continue;
		row->parent = pick_program(tree, parent, row);
	}
}

/* The list of its parent's children gets the process as its first one. */
static void put_first(struct process_tree *tree, size_t at, size_t *roots)
{
	struct process_row *row = &tree->row[at];
	size_t *list = row->parent == PROCESS_NONE ? roots : &tree->row[row->parent].first_child;

	row->next_sibling = *list;
	*list = at;
}

/* From a list of siblings downwards; a stack of its own, for a chain may be as long as it likes. */
static void set_order(struct process_tree *tree, size_t roots)
{
	size_t *stack = xcalloc(2 * tree->count + 1, sizeof(*stack)), height = 0, count = 0;

	tree->order = xcalloc(tree->count, sizeof(*tree->order));
	stack[height++] = roots;
	while (height) {
		const size_t at = stack[--height];
		struct process_row *row;

		if (at == PROCESS_NONE)
			continue;
		row = &tree->row[at];
		if (row->before != PROCESS_NONE)
			row->depth = tree->row[row->before].depth;
		else if (row->parent != PROCESS_NONE)
			row->depth = tree->row[row->parent].depth + 1;
		tree->order[count++] = at;
		/* Last in, first out: its children, then the program after it, then its sibling,
		 * which is the first program's to know. */
		if (row->before == PROCESS_NONE)
			stack[height++] = row->next_sibling;
		stack[height++] = row->after;
		stack[height++] = row->first_child;
	}
	free(stack);
	if (count != tree->count)
		BUG("%zu of %zu traces are in the tree", count, tree->count);
}

static bool has_next(const struct process_tree *tree, const struct process_row *row)
{
	for (size_t i = row->after; i != PROCESS_NONE; i = tree->row[i].after)
		if (tree->row[i].same_as == PROCESS_NONE)
			return true;
	return false;
}

static void add_up(struct process_tree *tree)
{
	tree->most_calls = tree->greatest_peak = PROCESS_NONE;
	for (size_t i = 0; i < tree->count; i++) {
		const size_t at = tree->order[i];
		struct process_row *row = &tree->row[at];

		if (row->same_as != PROCESS_NONE)
			continue;
		row->misses_next = !strcmp(row->end, "exec") && !has_next(tree, row);
		tree->allocation_calls += row->totals.allocation_calls;
		tree->allocated_bytes += row->totals.allocated_bytes;
		tree->lost_events += row->lost_events;
		if (!row->totals.allocation_calls)
			continue;
		if (tree->most_calls == PROCESS_NONE ||
		    row->totals.allocation_calls >
			    tree->row[tree->most_calls].totals.allocation_calls)
			tree->most_calls = at;
		if (tree->greatest_peak == PROCESS_NONE ||
		    row->totals.peak_bytes > tree->row[tree->greatest_peak].totals.peak_bytes)
			tree->greatest_peak = at;
	}
}

void process_tree_build(struct process_tree *tree)
{
	size_t *first = xcalloc(tree->count + 1, sizeof(*first)), roots = PROCESS_NONE;

	tree->processes = join_programs(tree, first);
	find_parents(tree, first, tree->processes);
	qsort_r(first, tree->processes, sizeof(*first), compare_starts, tree->row);
	for (size_t i = tree->processes; i--;)
		put_first(tree, first[i], &roots);
	free(first);
	set_order(tree, roots);
	add_up(tree);
}

void process_tree_release(struct process_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->row[i].path);
		free(tree->row[i].exe);
		strlist_release(&tree->row[i].argv);
	}
	for (size_t i = 0; i < tree->unreadables; i++) {
		free(tree->unreadable[i].path);
		free(tree->unreadable[i].error);
	}
	free(tree->row);
	free(tree->order);
	free(tree->unreadable);
	warnings_release(&tree->warnings);
}
