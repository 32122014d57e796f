# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report evidence pack -o pack damaged.zst 2>said
tail -n 1 said
xalloc-report evidence verify --strict pack
