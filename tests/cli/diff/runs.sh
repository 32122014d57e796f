# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report diff --old small.zst --new small.zst small.zst
