/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the sampler may take: a share of one core, in parts per thousand of the time that passed,
 * and something at the beginning, so that short programs are seen, too. Nanoseconds.
 */
#ifndef XALLOC_LAUNCH_BUDGET_H
#define XALLOC_LAUNCH_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	int64_t share;     /* per mille */
	int64_t allowance; /* besides */
	int64_t spent;
	int64_t began; /* by budget_begin */
};

/* May `estimate` be spent, when `elapsed` has passed? */
bool budget_allows(const struct budget *budget, int64_t elapsed, int64_t estimate);

/* Around what is to be charged: our own processor time. budget_end returns what it took. */
void budget_begin(struct budget *budget);
int64_t budget_end(struct budget *budget);

/* Our processor time. */
int64_t budget_cpu(void);

#endif
