# SPDX-License-Identifier: GPL-3.0-or-later
for command in export; do
	xalloc-report $command --an-option=of-its-own small.zst && echo "$command: done" || echo "$command: $?"
done
