# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program image.exec1.zst
xalloc-report --top 1 image.zst
