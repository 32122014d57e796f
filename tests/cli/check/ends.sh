# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program killed.zst signal.zst full.zst limited.zst lost.zst damaged.zst cut.zst
# What of each trace makes it one that is not judged.
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 6}
]}
END
for trace in small killed signal full limited lost damaged cut; do
	for more in '' --allow-signal --strict; do
		xalloc-report check --budget budget.json $more "$trace.zst" >out
		echo "$trace $more: $?"
		grep -e "not comparable: " -e "signal ended" out
	done
done
xalloc-report check --budget budget.json none.zst small.zst | tail -n 1
xalloc-report check --budget budget.json missing.zst small.zst damaged.zst >out || echo $?
xalloc-report check --budget budget.json text.txt || echo $?
