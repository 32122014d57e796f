# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report bundle-symbols -o names small.zst
xalloc-report bundle-symbols -o names small.zst
ls names*
