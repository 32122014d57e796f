/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/growth.h"

#include <stdlib.h>

#include "analyzer/base/mem.h"

void growth_release(struct growth *growth)
{
	for (uint32_t i = 0; i < growth->samples; i++)
		free(growth->sample[i].live);
	*growth = (struct growth){ .samples = 0 };
}

/* Every second sample goes. */
static void thin(struct growth *growth)
{
	uint32_t kept = 0;

	growth->stride *= 2;
	for (uint32_t i = 0; i < growth->samples; i++) {
		if ((growth->sample[i].iteration - 1) % growth->stride)
			free(growth->sample[i].live);
		else
			growth->sample[kept++] = growth->sample[i];
	}
	growth->samples = kept;
}

void growth_mark(struct growth *growth, const struct stack_totals *stack, size_t stacks,
		 size_t step)
{
	struct growth_sample *sample;

	if (!growth->stride)
		growth->stride = 1;
	growth->iterations++;
	if ((growth->iterations - 1) % growth->stride)
		return;
	if (growth->samples == GROWTH_SAMPLES)
		thin(growth);
	if ((growth->iterations - 1) % growth->stride)
		return;
	sample = &growth->sample[growth->samples++];
	*sample = (struct growth_sample){ .iteration = growth->iterations, .stacks = stacks };
	sample->live = xreallocarray(NULL, stacks + 1, sizeof(*sample->live));
	for (size_t i = 0; i < stacks; i++) {
		sample->live[i] = stack[i * step].live_bytes;
		sample->all += stack[i * step].live_bytes;
	}
}

void growth_finish(struct growth *growth, const uint32_t *where, size_t stacks)
{
	for (uint32_t i = 0; i < growth->samples; i++) {
		struct growth_sample *sample = &growth->sample[i];
		uint64_t *live = xcalloc(stacks + 1, sizeof(*live));

		for (size_t j = 0; j < sample->stacks; j++)
			if (where[j] != UINT32_MAX)
				live[where[j]] += sample->live[j];
		free(sample->live);
		sample->live = live;
		sample->stacks = stacks;
	}
}
