/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands that are built, one file each: arguments in, exit status out, output on standard
 * output. */
#ifndef XALLOC_CMD_COMMANDS_H
#define XALLOC_CMD_COMMANDS_H

#include "analyzer/cmd/options.h"

enum status cmd_spread(const struct options *options);
enum status cmd_reconcile(const struct options *options);
enum status cmd_summary(const struct options *options);
enum status cmd_budget(const struct options *options);
enum status cmd_check(const struct options *options);
enum status cmd_compact(const struct options *options);
enum status cmd_anonymize(const struct options *options);
enum status cmd_evidence(const struct options *options);
enum status cmd_folded(const struct options *options);
enum status cmd_diff(const struct options *options);
enum status cmd_html(const struct options *options);
enum status cmd_growth(const struct options *options);
enum status cmd_phases(const struct options *options);
enum status cmd_pinners(const struct options *options);
enum status cmd_resident(const struct options *options);
enum status cmd_slope(const struct options *options);
enum status cmd_groups(const struct options *options);
enum status cmd_symbols(const struct options *options);
enum status cmd_bundle_symbols(const struct options *options);
enum status cmd_growth_copies(const struct options *options);
enum status cmd_lifetimes(const struct options *options);
enum status cmd_sizes(const struct options *options);
enum status cmd_threads(const struct options *options);
enum status cmd_timeline(const struct options *options);
enum status cmd_verify(const struct options *options);

#endif
