# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report growth-copies small.zst
