# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 10, "min": 1, "comment": "stays"},
  {"metric": "peak_bytes", "max": "4 KiB"},
  {"metric": "leaked_bytes", "max": 1},
  {"metric": "temporary_ratio", "max": "50%"},
  {"metric": "free_calls", "equal": 3}
]}
END
chmod 640 budget.json
xalloc-report budget ratchet --budget budget.json small.zst none.zst
echo $?
cat budget.json
stat -c %a budget.json
xalloc-report budget ratchet --budget budget.json small.zst none.zst
echo $?
xalloc-report budget ratchet --budget budget.json -o lower.json none.zst
echo $?
cmp budget.json lower.json
ls
