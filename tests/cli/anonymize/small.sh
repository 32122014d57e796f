# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report anonymize -o other.zst small.zst
xalloc-report folded other.zst
xalloc-report folded small.zst
