# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo '{"schema": "xalloc-budget/1", "limits": [{"metric": "allocation_calls", "function": "no_such_function", "max": 0}, {"metric": "allocation_calls", "max": 9}]}' >budget.json
xalloc-report check --budget budget.json small.zst
