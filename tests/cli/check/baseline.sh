# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "baseline": "none.zst", "max_increase": "0%"},
  {"metric": "peak_bytes", "baseline": "none.zst", "max_increase": "3 KiB"},
  {"metric": "allocation_calls", "baseline": "none.zst", "max_decrease": 0}
]}
END
xalloc-report check --budget budget.json small.zst
echo $?
