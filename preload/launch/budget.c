/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/budget.h"

#include <time.h>

bool budget_allows(const struct budget *budget, int64_t elapsed, int64_t estimate)
{
	return budget->spent + estimate <= elapsed / 1000 * budget->share + budget->allowance;
}

int64_t budget_cpu(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void budget_begin(struct budget *budget)
{
	budget->began = budget_cpu();
}

int64_t budget_end(struct budget *budget)
{
	const int64_t took = budget_cpu() - budget->began;

	budget->spent += took;
	return took;
}
