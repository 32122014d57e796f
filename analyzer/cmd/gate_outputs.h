/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a check is to write. */
#ifndef XALLOC_CMD_GATE_OUTPUTS_H
#define XALLOC_CMD_GATE_OUTPUTS_H

#include "analyzer/base/err.h"
#include "analyzer/cmd/gate.h"
#include "analyzer/cmd/options.h"

/* That none of them is a file that the gate has read, or two of them the same: -1 with a line in
 * err. */
int gate_outputs_check(const struct gate *gate, const struct options *options, struct err *err);

#endif
