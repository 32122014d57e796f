# SPDX-License-Identifier: GPL-3.0-or-later
# the tree, then the traces that its last lines name
mkdir traces
mv sh.zst sh.exec1.zst sh.101.zst sh.102.zst traces
xalloc-report --largest --top 1 traces
