# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --debug-dir /nowhere --top 1 small.zst
