# SPDX-License-Identifier: GPL-3.0-or-later
# other commands take traces
mkdir traces
mv sh.zst traces
xalloc-report folded traces
