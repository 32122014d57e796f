# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
mv small.zst summary
xalloc-report --top 1 ./summary
xalloc-report --top 1 -- summary
