# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --color=auto --top 1 small.zst
