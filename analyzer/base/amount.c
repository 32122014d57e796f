/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/base/amount.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AMOUNT_MAX 18446744073709551615.0 /* what a count may be */

static const struct {
	const char *text;
	double factor;
	enum amount_unit unit;
} units[] = {
	{ "", 1, AMOUNT_PLAIN },
	{ "B", 1, AMOUNT_BYTES },
	{ "KiB", 1024.0, AMOUNT_BYTES },
	{ "MiB", 1024.0 * 1024, AMOUNT_BYTES },
	{ "GiB", 1024.0 * 1024 * 1024, AMOUNT_BYTES },
	{ "TiB", 1024.0 * 1024 * 1024 * 1024, AMOUNT_BYTES },
	{ "kB", 1e3, AMOUNT_BYTES },
	{ "MB", 1e6, AMOUNT_BYTES },
	{ "GB", 1e9, AMOUNT_BYTES },
	{ "TB", 1e12, AMOUNT_BYTES },
	{ "%", 1, AMOUNT_PERCENT },
};

int amount_parse(struct amount *amount, const char *text, struct err *err)
{
	const size_t digits = strspn(text, "0123456789.");
	const char *unit = text + digits + strspn(text + digits, " ");
	char *end;
	double value;

	value = strtod(text, &end);
	if (!digits || *text == '.' || end != text + digits) /* no 0x1F, no 1e6, no 1.2.3 */
		return err_set(err, "\"%s\" is not a figure as 1200, \"3 MiB\" or \"5%%\"", text);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(unit, units[i].text))
			continue;
		amount->unit = units[i].unit;
		amount->value =
			units[i].unit == AMOUNT_PERCENT ? value / 100 : value * units[i].factor;
		if (amount->value > AMOUNT_MAX)
			return err_set(err, "\"%s\" is more than there can be", text);
		return 0;
	}
	return err_set(err,
		       "\"%s\": %s is none of the units B, KiB, MiB, GiB, TiB, kB, MB, GB, TB "
		       "and %%",
		       text, unit);
}
