# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --function nobody --top 1 small.zst | sed -n "6,10p"
