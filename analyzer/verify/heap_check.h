/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conservation: the program's blocks against what the allocator said of itself at a clean end. What
 * it has more came behind the recorder's back.
 */
#ifndef XALLOC_VERIFY_HEAP_CHECK_H
#define XALLOC_VERIFY_HEAP_CHECK_H

#include "analyzer/verify/account.h"
#include "analyzer/verify/raw_facts.h"
#include "analyzer/verify/raw_trace.h"
#include "analyzer/verify/verify.h"

void heap_check(const struct raw_trace *trace, const struct raw_facts *facts,
		const struct account *account, struct verify_report *report);

#endif
