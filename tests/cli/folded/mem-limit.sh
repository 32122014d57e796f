# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report folded --mem-limit=1000000000 small.zst
