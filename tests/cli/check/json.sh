# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 5},
  {"metric": "rss_peak_bytes", "max": 5}
]}
END
xalloc-report check --json --budget budget.json --baseline none.zst --top 1 small.zst
echo $?
