# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "equal": 6},
  {"metric": "allocation_calls", "max": 7, "min": 5},
  {"metric": "allocated_bytes", "max": "5 KiB"},
  {"metric": "peak_bytes", "max": 3288},
  {"metric": "temporary_ratio", "max": "40%"},
  {"metric": "peak_bytes", "function": "join_path", "max": "288 B"},
  {"metric": "allocation_calls", "function": "leaf:join_path", "max": 4}
]}
END
xalloc-report check --budget budget.json small.zst
