# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program killed.zst signal.zst full.zst limited.zst lost.zst damaged.zst cut.zst
# What of a baseline makes a trace that keeps its limits one that is not judged.
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max_increase": 100}
]}
END
for baseline in small killed signal full limited lost damaged cut; do
	for more in '' --allow-signal --strict; do
		xalloc-report check --budget budget.json --baseline "$baseline.zst" $more small.zst >out
		echo "$baseline $more: $?"
		grep -e "not comparable: " -e "signal ended" out
	done
done
