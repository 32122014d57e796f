/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether all chunks of a trace are there, by their numbers. */
#ifndef XALLOC_VERIFY_SEQUENCE_H
#define XALLOC_VERIFY_SEQUENCE_H

#include <stdint.h>

#include "analyzer/verify/raw_trace.h"

/* Fills the checks of sequence, counts and the recorder's totals. Returns how many events are
 * missing as far as these tell. */
uint64_t sequence_check(const struct raw_trace *trace, struct verify_report *report);

#endif
