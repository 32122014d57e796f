# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 6}
]}
END
xalloc-report check --budget budget.json --junit none/out.xml small.zst >/dev/null || echo $?
xalloc-report check --budget budget.json --json --github small.zst || echo $?
xalloc-report check --budget budget.json --source-root none small.zst || echo $?
xalloc-report check --budget budget.json --factor 2 small.zst || echo $?
xalloc-report check --budget budget.json --sensitivity small.zst || echo $?
xalloc-report check --budget budget.json --sensitivity --factor 1 small.zst small.zst || echo $?
xalloc-report check --budget budget.json --sensitivity --github small.zst small.zst || echo $?
xalloc-report check small.zst || echo $?
cp small.zst one.zst
for out in '--sarif budget.json' '--junit one.zst' '--markdown ./one.zst' '--junit a --sarif a' '--junit a --markdown ./a'; do
	xalloc-report check --budget budget.json $out one.zst >/dev/null || echo "$out: $?"
done
touch a
xalloc-report check --budget budget.json --junit a --markdown ./a one.zst >/dev/null || echo $?
cmp small.zst one.zst && ls -s a budget.json >/dev/null && xalloc-report check --budget budget.json --junit a --sarif /dev/null --markdown /dev/null one.zst
