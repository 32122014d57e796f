# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
echo '{"schema": "xalloc-budget/1", "allocator": "jemalloc", "limits": [{"metric": "peak_bytes", "max": 4000}]}' >budget.json
xalloc-report check --budget budget.json small.zst
echo $?
