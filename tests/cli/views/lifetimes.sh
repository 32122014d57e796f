# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report lifetimes --top 2 --full-names small.zst
