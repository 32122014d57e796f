/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/store/stacks.h"

#include <string.h>

#define NODES_MAX (STACKS_PLACES / 4 * 3)
#define NO_NODE UINT16_MAX /* there was no room for it */

void stacks_reset(struct stacks *s)
{
	s->used = 0;
	s->numbers = 0;
	s->depth = 0;
	s->path[0] = 0;
	memset(s->place, 0, sizeof(s->place));
}

void stacks_clear(struct stacks *s)
{
	s->depth = 0;
}

int stacks_pop(struct stacks *s, uint64_t frames)
{
	if (frames > s->depth)
		return -1;
	s->depth -= (uint32_t)frames;
	return 0;
}

static uint32_t first_place(uint32_t parent, uint32_t frame)
{
	const uint32_t mixed = parent * 0x9E3779B1u ^ frame * 0x85EBCA6Bu;

	return (mixed ^ mixed >> 15) * 0x9E3779B1u % STACKS_PLACES;
}

/* Place 0 is the root's. */
static uint16_t child(struct stacks *s, uint16_t parent, uint32_t frame)
{
	uint32_t at = first_place(parent, frame);

	if (parent == NO_NODE || !frame)
		return NO_NODE;
	for (;; at = (at + 1) % STACKS_PLACES) {
		if (!at)
			continue;
		if (!s->place[at].frame)
			break;
		if (s->place[at].frame == frame && s->place[at].parent == parent)
			return (uint16_t)at;
	}
	if (s->used == NODES_MAX)
		return NO_NODE;
	s->used++;
	s->place[at].parent = parent;
	s->place[at].frame = frame;
	return (uint16_t)at;
}

int stacks_push(struct stacks *s, uint64_t frame)
{
	const uint16_t parent = s->path[s->depth];

	if (s->depth == XT_STACK_MAX)
		return -1;
	s->path[++s->depth] = frame < XT_IDS_MAX ? child(s, parent, (uint32_t)frame) : NO_NODE;
	return 0;
}

uint32_t stacks_call(struct stacks *s)
{
	const uint16_t node = s->path[s->depth];
	const int is_known = node && node != NO_NODE;

	if (is_known && s->place[node].number)
		return s->place[node].number;
	if (s->numbers < XT_STACKS_MAX) {
		s->numbers++;
		if (is_known)
			s->place[node].number = (uint16_t)s->numbers;
	}
	return 0;
}
