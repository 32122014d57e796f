# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 10}
]}
END
cp budget.json before.json
for trace in damaged.zst killed.zst missing.zst; do
	xalloc-report budget ratchet --budget budget.json small.zst $trace
	echo "$trace: $?"
done
xalloc-report budget ratchet small.zst || echo $?
xalloc-report budget ratchet --budget budget.json --rules rules.json small.zst || echo $?
cmp budget.json before.json
