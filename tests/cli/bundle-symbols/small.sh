# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report bundle-symbols -o small.zst.symbols small.zst
mv program elsewhere
xalloc-report folded small.zst
xalloc-report symbols small.zst
