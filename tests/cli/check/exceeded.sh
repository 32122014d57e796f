# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 5},
  {"metric": "peak_bytes", "min": "4 KiB"},
  {"metric": "leaked_bytes", "max": 288},
  {"metric": "allocation_calls", "function": "build", "max": 0},
  {"metric": "free_calls", "max": 1}
]}
END
xalloc-report check --budget budget.json --top 2 small.zst
echo $?
