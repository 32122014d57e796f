/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the report says against what the second way gave. */
#ifndef XALLOC_VERIFY_COMPARE_H
#define XALLOC_VERIFY_COMPARE_H

#include "analyzer/verify/account.h"
#include "analyzer/verify/verify.h"

/* Fills the checks of totals, stacks and sums. */
void compare_run(const struct verify_claim *claim, struct account *account,
		 struct verify_report *report);

#endif
