# SPDX-License-Identifier: GPL-3.0-or-later
# nobody holds any figure
mkdir traces
mv none.zst traces
xalloc-report traces
