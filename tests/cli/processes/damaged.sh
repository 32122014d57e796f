# SPDX-License-Identifier: GPL-3.0-or-later
# each is a row or a line, and the rest is as it is
mkdir traces
mv sh.zst damaged.zst half-header.zst future.zst traces
xalloc-report traces
