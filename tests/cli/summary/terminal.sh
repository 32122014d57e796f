# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
python3 "$CLI/on-terminal.py" xalloc-report --top 1 small.zst
