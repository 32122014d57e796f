# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --top 1 --strict missing.zst lost.zst
