# SPDX-License-Identifier: GPL-3.0-or-later
# the same trace twice counts once
mkdir traces
xalloc-report compact -o traces/small.zst sh.101.zst >/dev/null
mv sh.101.zst traces
xalloc-report traces
