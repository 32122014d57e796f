/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a selection share: selection.c and selection_finish.c. */
#ifndef XALLOC_MODEL_SELECTION_STATE_H
#define XALLOC_MODEL_SELECTION_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/model/selection.h"

/* What is live now is what the peak is made of: stream as replay's peak_stream. */
void selection_take_instant(struct selection *selection, uint64_t stamp, uint32_t stream);

/* What happens now is of this stamp. False: it is behind the range. */
bool selection_advance(struct selection *selection, uint64_t stamp);

#endif
