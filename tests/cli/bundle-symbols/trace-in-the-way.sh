# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cp small.zst other.zst
xalloc-report bundle-symbols -o other.zst small.zst
