# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 5},
  {"metric": "peak_bytes", "max": 5000},
  {"metric": "rss_peak_bytes", "max": 5}
]}
END
xalloc-report check --budget budget.json --source-root . --top 1 --github --junit out.xml --sarif out.sarif --markdown out.md small.zst damaged.zst |
	grep '^::'
cat out.xml out.sarif out.md
