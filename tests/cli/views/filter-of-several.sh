# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report phases --thread 0 --size 16- small.zst
xalloc-report growth --thread 0 small.zst
xalloc-report diff --metric calls --size 16- small.zst small.zst
xalloc-report spread --size 16- small.zst small.zst | head -n 6
xalloc-report slope --n1 1 --n2 2 --size 16- small.zst small.zst | head -n 6
