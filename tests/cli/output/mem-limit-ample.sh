# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --mem-limit 100000000 small.zst >out
grep -c "^  peak " out
