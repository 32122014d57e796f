# SPDX-License-Identifier: GPL-3.0-or-later
mkdir traces
mv sh.zst half-header.zst traces
xalloc-report --strict traces
