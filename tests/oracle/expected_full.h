/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What full_step has to make of a frame, by elfutils' reading of its unwind information and an
 * evaluator of elfutils' operations: the independent half of the comparison. */
#ifndef XALLOC_ORACLE_EXPECTED_FULL_H
#define XALLOC_ORACLE_EXPECTED_FULL_H

#include <stdint.h>

#include <elfutils/libdw.h>

#include "preload/unwind/full_step.h"

/* *after is the caller's frame when FULL_STEPPED is returned. address is link-time: the place whose
 * rules hold. */
enum full_result expected_full(Dwarf_CFI *cfi, uint64_t address, const struct full_frame *before,
			       struct full_frame *after);

#endif
