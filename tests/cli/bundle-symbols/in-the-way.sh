# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo text >names
xalloc-report bundle-symbols -o names small.zst
