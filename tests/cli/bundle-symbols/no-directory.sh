# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report bundle-symbols -o nowhere/names small.zst
