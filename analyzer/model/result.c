/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/result.h"

void stack_totals_add(struct stack_totals *sum, const struct stack_totals *stack)
{
	sum->calls += stack->calls;
	sum->bytes += stack->bytes;
	sum->temporary += stack->temporary;
	sum->live_bytes += stack->live_bytes;
	sum->live_blocks += stack->live_blocks;
	sum->peak_bytes += stack->peak_bytes;
	sum->peak_blocks += stack->peak_blocks;
}
