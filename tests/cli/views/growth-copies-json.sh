# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report growth-copies --json --top 1 small.zst | sed -n '/"all"/,$p'
