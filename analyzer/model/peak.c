/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/model/peak.h"

/* Four thousand million peaks later the numbers begin again: no stack may bear one of the last
 * round. */
void peak_next_epoch(struct peak *peak, struct stack_totals *stack, size_t stacks)
{
	for (size_t i = 0; i < stacks; i++)
		stack[i].peak_epoch = 0;
	peak->epoch = 1;
}

void peak_settle(const struct peak *peak, struct stack_totals *stack, size_t stacks)
{
	for (size_t i = 0; i < stacks; i++)
		peak_save(peak, &stack[i]);
}
