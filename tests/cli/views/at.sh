# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --top 2 --at 20ns small.zst | sed -n "1,20p"
