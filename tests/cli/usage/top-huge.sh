# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --top 99999999999999999999 small.zst
