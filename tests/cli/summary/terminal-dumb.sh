# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
TERM=dumb python3 "$CLI/on-terminal.py" xalloc-report --top 1 small.zst
