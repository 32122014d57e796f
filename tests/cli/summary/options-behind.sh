# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report small.zst --top 1 --color never
