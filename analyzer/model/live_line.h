/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line of the processor's cache, 64 bytes, as eight places of which each has a tag. */
#ifndef XALLOC_MODEL_LIVE_LINE_H
#define XALLOC_MODEL_LIVE_LINE_H

#include <stdint.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

#define LIVE_LINE_PLACES 8u
#define LIVE_LINE_BYTES 64u
/* The lowest bits of a place. */
#define LIVE_TAG_BITS 9
#define LIVE_TAG_MASK ((1u << LIVE_TAG_BITS) - 1)

/* Bit i: place i has that tag. Without a branch: where it stands nobody can guess. line is at a
 * multiple of 64. */
static inline uint32_t live_line_match(const uint64_t *line, uint32_t tag)
{
#ifdef __x86_64__
	/* Word by word: a word that was written just now is there for a load of no more. */
	const __m128i low = _mm_setr_epi32((int)line[0], (int)line[1], (int)line[2], (int)line[3]);
	const __m128i high = _mm_setr_epi32((int)line[4], (int)line[5], (int)line[6], (int)line[7]);
	const __m128i mask = _mm_set1_epi32(LIVE_TAG_MASK);
	const __m128i wanted = _mm_set1_epi32((int)tag);
	const __m128i is_low = _mm_cmpeq_epi32(_mm_and_si128(low, mask), wanted);
	const __m128i is_high = _mm_cmpeq_epi32(_mm_and_si128(high, mask), wanted);

	return (uint32_t)_mm_movemask_epi8(
		_mm_packs_epi16(_mm_packs_epi32(is_low, is_high), _mm_setzero_si128()));
#else
	uint32_t found = 0;

	for (uint32_t i = 0; i < LIVE_LINE_PLACES; i++)
		found |= (uint32_t)((line[i] & LIVE_TAG_MASK) == tag) << i;
	return found;
#endif
}

#endif
