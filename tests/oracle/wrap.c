/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts oracle_compare behind each walk of the recorder: the linker's --wrap leads the recorder's
 * calls of unwind_stack and ids_add here. What is compared is what is written: the frame ids, by
 * the pcs they stand for. And that of cfi_row, so that XALLOC_ORACLE_FAULT can put a fault into it,
 * which has to be found: `rbp` takes rbp for unchanged everywhere, `cfa` adds 8 to one CFA offset
 * in 16; and that of expression_value: `expression` adds 8 to what it gives.
 * XALLOC_ORACLE_WALK=full puts the full walk in the place of each walk by rows.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "preload/store/ids.h"
#include "preload/unwind/cfi.h"
#include "preload/unwind/expression.h"
#include "preload/unwind/full.h"
#include "preload/unwind/unwind.h"
#include "tests/oracle/compare.h"

#define IDS_MAX (8u << 20)
#define FULL_FRAMES_MAX 1024u /* the recorder has room for more */

uint32_t __real_ids_add(uint64_t pc, uint32_t epoch, uint32_t flags);
uint32_t __wrap_ids_add(uint64_t pc, uint32_t epoch, uint32_t flags);
struct unwind_change __real_unwind_stack(struct unwind_state *u, const uint64_t *fp);
struct unwind_change __wrap_unwind_stack(struct unwind_state *u, const uint64_t *fp);
bool __real_expression_value(const struct expression_world *w, struct eh_reader code,
			     const uint64_t *first, uint64_t *value);
bool __wrap_expression_value(const struct expression_world *w, struct eh_reader code,
			     const uint64_t *first, uint64_t *value);
void __real_cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out);
void __wrap_cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out);

static uint64_t *pc_of_id;
static char fault; /* first letter */
static bool is_full;
static __thread uint64_t *pcs __attribute__((tls_model("initial-exec")));

static uint64_t *memory_new(size_t count)
{
	void *memory = mmap(NULL, count * sizeof(uint64_t), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static __attribute__((constructor)) void begin(void)
{
	const char *name = getenv("XALLOC_ORACLE_FAULT");

	fault = name ? *name : 0;
	name = getenv("XALLOC_ORACLE_WALK");
	is_full = name && *name == 'f';
}

void __wrap_cfi_row(uint64_t pc, bool exact, const struct dl_find_object *object, struct row *out)
{
	__real_cfi_row(pc, exact, object, out);
	if (fault == 'r' && out->kind == ROW_STEP)
		out->rbp = RBP_SAME;
	if (fault == 'c' && out->kind == ROW_STEP && pc % 16 == 0)
		out->cfa_offset += 8;
}

bool __wrap_expression_value(const struct expression_world *w, struct eh_reader code,
			     const uint64_t *first, uint64_t *value)
{
	const bool is_known = __real_expression_value(w, code, first, value);

	if (fault == 'e')
		*value += 8;
	return is_known;
}

uint32_t __wrap_ids_add(uint64_t pc, uint32_t epoch, uint32_t flags)
{
	const uint32_t id = __real_ids_add(pc, epoch, flags);
	uint64_t *map = pc_of_id, *none = NULL;

	if (!map) {
		map = memory_new(IDS_MAX);
		if (!__atomic_compare_exchange_n(&pc_of_id, &none, map, false, __ATOMIC_SEQ_CST,
						 __ATOMIC_SEQ_CST)) {
			munmap(map, IDS_MAX * sizeof(*map));
			map = none;
		}
	}
	if (map && id < IDS_MAX)
		map[id] = pc;
	return id;
}

static __attribute__((noinline)) struct unwind_change full_stack(struct unwind_state *u)
{
	static __thread uint32_t ids[FULL_FRAMES_MAX] __attribute__((tls_model("initial-exec")));
	struct full_registers here;
	struct unwind_change change = { .pops = u->shown };
	uint32_t i;

	full_registers_here(&here);
	change.pushes = full_walk(u, &here, ids, FULL_FRAMES_MAX);
	if (change.pushes == FULL_FRAMES_MAX)
		ids[FULL_FRAMES_MAX - 1] = XT_ID_ELIDED;
	unwind_drop(u);
	u->shown = change.pushes;
	for (i = 0; i < u->shown; i++)
		u->ids[i] = ids[u->shown - 1 - i];
	return change;
}

struct unwind_change __wrap_unwind_stack(struct unwind_state *u, const uint64_t *fp)
{
	const struct unwind_change change = is_full ? full_stack(u) : __real_unwind_stack(u, fp);
	const uint64_t *const map = pc_of_id;
	enum oracle_root root = ORACLE_WHOLE;
	uint32_t i, n = u->shown;

	if (!pcs)
		pcs = memory_new(XT_STACK_MAX + 2);
	if (!pcs || !map)
		return change;
	for (i = 0; i < n; i++) {
		const uint32_t id = u->ids[n - 1 - i];

		if (id < XT_ID_FIRST) {
			root = id == XT_ID_ELIDED ? ORACLE_ELIDED : ORACLE_TRUNCATED;
			break;
		}
		pcs[i] = id < IDS_MAX ? map[id] : 0;
	}
	oracle_compare(pcs, i, root, fp[1], (uint64_t)(uintptr_t)(fp + 2), fp[0]);
	return change;
}
