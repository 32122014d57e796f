# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report compact -o new.zst small.zst && xalloc-report --top 1 new.zst | sed -n 1,3p
