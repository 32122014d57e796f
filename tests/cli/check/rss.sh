# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "rss_peak_bytes", "max": "1 MiB"},
  {"metric": "unexplained_percent", "max": "60%"}
]}
END
xalloc-report check --budget budget.json --rss rss.json small.zst
echo $?
xalloc-report check --budget budget.json small.zst large-rss.json
echo $?
xalloc-report check --budget budget.json small.zst other-rss.json
echo $?
xalloc-report check --budget budget.json small.zst rss.json large-rss.json
echo $?
xalloc-report check --budget budget.json small.zst --rss rss.json --rss large-rss.json
echo $?
xalloc-report check --budget budget.json --rss budget.json small.zst
echo $?
xalloc-report check --budget budget.json rss.json
echo $?
sed 's/"error_bytes": 0/"error_bytes": 8192/' rss.json >off.json
xalloc-report check --budget budget.json off.json small.zst
echo $?
