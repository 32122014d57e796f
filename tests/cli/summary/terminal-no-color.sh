# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
NO_COLOR=1 python3 "$CLI/on-terminal.py" xalloc-report --top 1 small.zst
