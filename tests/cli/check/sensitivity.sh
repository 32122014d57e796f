# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 0},
  {"metric": "peak_bytes", "max": 4000},
  {"metric": "peak_bytes", "min": 0},
  {"metric": "foreign_frees", "max": 0}
]}
END
xalloc-report check --budget budget.json --sensitivity none.zst small.zst --factor 2.5
echo $?
xalloc-report check --budget budget.json --sensitivity none.zst none.zst --json
echo $?
