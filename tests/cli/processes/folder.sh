# SPDX-License-Identifier: GPL-3.0-or-later
# the tree of processes; what is no trace is not looked at
mkdir traces traces/below
mv sh.zst sh.exec1.zst sh.101.zst sh.102.zst sh.103.zst sh.105.zst text.txt traces
xalloc-report traces
