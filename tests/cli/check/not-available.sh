# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "phase": "send", "max": 1},
  {"metric": "allocation_calls", "per": "iteration", "max": 1},
  {"metric": "allocation_calls", "thread": 1, "max": 1},
  {"metric": "rss_peak_bytes", "max": "40 MiB"},
  {"metric": "unexplained_percent", "max": 5},
  {"metric": "peak_bytes", "max_increase": "0%"},
  {"metric": "peak_bytes", "max": 1}
]}
END
xalloc-report check --budget budget.json --top 1 small.zst
echo $?
