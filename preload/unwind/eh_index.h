/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search in a module's .eh_frame_hdr. An index of a large one keeps every 1/256 of its entries'
 * addresses in 1 KB of our own, so that a search reads one page of the table and not one for each
 * of its first steps.
 */
#ifndef XALLOC_UNWIND_EH_INDEX_H
#define XALLOC_UNWIND_EH_INDEX_H

#include <stdint.h>

/* Both count from the header. */
struct __attribute__((packed, may_alias)) eh_entry {
	int32_t pc, fde;
};

/* The last of `count` entries, sorted by pc, that does not begin after address. NULL: they all do.
 */
const struct eh_entry *eh_search(const struct eh_entry *table, uint64_t count, int64_t address);

/* Makes an index for a table that stays where it is and as it is, if it is worth one and has none.
 * On a private stack, with signals blocked. */
void eh_index_make(const struct eh_entry *table, uint64_t count);

#endif
