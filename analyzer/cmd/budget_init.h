/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `budget init`: a budget from runs. */
#ifndef XALLOC_CMD_BUDGET_INIT_H
#define XALLOC_CMD_BUDGET_INIT_H

#include "analyzer/cmd/options.h"

enum status budget_init(const struct options *options);

#endif
