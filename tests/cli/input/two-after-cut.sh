# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --json cut-two.zst | grep offset | grep -v '"offset"'
