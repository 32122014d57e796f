# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --mem-limit 1M small.zst
