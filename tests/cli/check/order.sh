# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# 2 beats 4 beats 3 beats 1 beats 0.
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 5}
]}
END
for traces in 'none.zst' 'none.zst small.zst' 'small.zst damaged.zst' 'damaged.zst text.txt'; do
	xalloc-report check --budget budget.json $traces >/dev/null 2>&1
	echo "$traces: $?"
	xalloc-report check --strict --budget budget.json $traces >/dev/null 2>&1
	echo "$traces, strict: $?"
done
