/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as people write them: "1200", "0.5", "3 MiB", "5%". Not below 0. */
#ifndef XALLOC_BASE_AMOUNT_H
#define XALLOC_BASE_AMOUNT_H

#include "analyzer/base/err.h"

enum amount_unit { AMOUNT_PLAIN, AMOUNT_BYTES, AMOUNT_PERCENT };

struct amount {
	double value; /* in bytes; of a percentage the share: 0.05 */
	enum amount_unit unit;
};

/* Units: B, KiB, MiB, GiB, TiB, kB, MB, GB, TB, %; a blank before one may be there or not. -1 with
 * what is wrong in err. */
int amount_parse(struct amount *amount, const char *text, struct err *err);

#endif
