# SPDX-License-Identifier: GPL-3.0-or-later
mkdir traces
mv text.txt traces
xalloc-report traces
