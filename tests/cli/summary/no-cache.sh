# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --no-cache --top 1 small.zst
