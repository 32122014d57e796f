# SPDX-License-Identifier: GPL-3.0-or-later
# any order; then the summary of each
xalloc-report --top 1 sh.102.zst sh.101.zst
