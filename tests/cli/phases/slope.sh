# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report slope --n1 1 --n2 2 --n3 3 --n4 4 --n5 5 --n6 6 --n7 7 --n8 8 --n9 9 small.zst small.zst small.zst small.zst small.zst small.zst small.zst small.zst small.zst
