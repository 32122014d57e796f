# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo text >small.zst.symbols
xalloc-report folded small.zst
