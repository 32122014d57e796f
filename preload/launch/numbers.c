/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/launch/numbers.h"

#include <inttypes.h>
#include <stddef.h>

#include "preload/launch/message.h"

char *number_grouped(uint64_t number)
{
	if (number < 1000)
		return text_new("%" PRIu64, number);
	return text_new("%s,%03d", number_grouped(number / 1000), (int)(number % 1000));
}

char *number_rounded(uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes / 1024;
	size_t i = 0;

	if (bytes < 1024)
		return text_new("%" PRIu64 " bytes", bytes);
	for (; value >= 1024 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		value /= 1024;
	return text_new("%.1f %s", value, unit[i]);
}
