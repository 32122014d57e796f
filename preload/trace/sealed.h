/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tells a bit that flipped in a trace's header or in a chunk's metadata, see "What has a
 * checksum" in docs/trace-format.md. Header only and freestanding: whoever writes and whoever reads
 * includes it.
 *
 * Each step of the checksum is one to one, in what was before and in the word that comes, so that
 * no change of a single word of 32 bits goes unnoticed.
 */
#ifndef XALLOC_TRACE_SEALED_H
#define XALLOC_TRACE_SEALED_H

#include <stddef.h>
#include <stdint.h>

#include "preload/trace/format.h"

#define XT_CHECK_START 0x58414C4Cu
#define XT_CHECK_FACTOR 0x9E3779B1u

static inline uint32_t xt_check_word(uint32_t check, uint32_t word)
{
	check = (check ^ word) * XT_CHECK_FACTOR;
	return check ^ check >> 15;
}

static inline uint32_t xt_check_long(uint32_t check, uint64_t value)
{
	return xt_check_word(xt_check_word(check, (uint32_t)value), (uint32_t)(value >> 32));
}

/* What meta->check is to be: of the metadata with 0 in its place. */
static inline uint32_t xt_meta_check(const struct xt_meta *meta)
{
	uint32_t check = XT_CHECK_START;

	check = xt_check_word(check, meta->kind);
	check = xt_check_word(check, meta->stream);
	check = xt_check_long(check, meta->seq);
	check = xt_check_long(check, meta->base);
	check = xt_check_long(check, meta->first_stamp);
	check = xt_check_long(check, meta->last_stamp);
	check = xt_check_word(check, meta->events);
	check = xt_check_word(check, meta->thread);
	check = xt_check_word(check, meta->tid);
	check = xt_check_word(check, 0);
	check = xt_check_word(check, meta->raw_bytes);
	return xt_check_word(check, meta->zstd_bytes);
}

static inline uint32_t xt_pair_check(const struct xt_clock_pair *pair)
{
	const uint32_t check = xt_check_long(xt_check_long(XT_CHECK_START, pair->stamp), pair->ns);

	return xt_check_word(check, pair->ns_error);
}

/* Of what does not change any more once the file has its name: what stands before clock and from
 * stamp_shift to first_pair, depth, usable_rule and is_compact. */
static inline uint32_t xt_header_check(const struct xt_header *header)
{
	const uint32_t *const word = (const uint32_t *)(const void *)header;
	uint32_t check = XT_CHECK_START;

	for (size_t i = 0; i < offsetof(struct xt_header, last_pair) / sizeof(*word); i++)
		if (i != offsetof(struct xt_header, clock) / sizeof(*word))
			check = xt_check_word(check, word[i]);
	check = xt_check_word(check, header->depth);
	check = xt_check_word(check, header->usable_rule);
	return xt_check_word(check, header->is_compact);
}

/* Whether a word of the header can have been stored as it is, see XT_SURE. */
static inline int xt_is_sure(uint64_t word)
{
	return word % XT_SURE == 0;
}

/* NULL, or what of the header is damaged. */
static inline const char *xt_header_wrong(const struct xt_header *header)
{
	const struct xt_clock_pair *const pair = header->last_pair;
	const uint32_t latest = header->last_pair_index;

	if (header->check != xt_header_check(header))
		return "what was known at the start";
	if (!xt_is_sure(header->clock) || latest > 2 ||
	    (latest ? pair[latest - 1].check != xt_pair_check(&pair[latest - 1])
		    : pair[0].check || pair[1].check))
		return "its clock";
	if (!xt_is_sure(header->state) || !xt_is_sure(header->exit_kind) ||
	    !xt_is_sure(header->exit_status) || !xt_is_sure(header->stop_reason))
		return "its end";
	return xt_is_sure(header->lost_events) ? NULL : "its count of lost calls";
}

#endif
