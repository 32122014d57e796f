# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --top 1 --from 0.01us --to 60 small.zst
