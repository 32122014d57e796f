# SPDX-License-Identifier: GPL-3.0-or-later
mkdir traces
mv sh.zst sh.exec1.zst traces
xalloc-report --json traces/
