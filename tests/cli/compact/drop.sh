# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report compact --drop addresses,stamps -o new.zst small.zst && xalloc-report --top 0 new.zst | sed -n '4,15p'
