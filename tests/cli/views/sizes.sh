# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report sizes --top 2 small.zst
