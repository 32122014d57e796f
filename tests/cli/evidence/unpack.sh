# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report evidence pack -o pack --max-size 4K small.zst
xalloc-report evidence unpack -o here pack
cmp here/small.zst small.zst
