# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "paths", "all": ["join_path"]}]}' >rules.json
for group in paths other path; do
	echo '{"schema": "xalloc-budget/1", "rules": "rules.json", "limits": [
		{"metric": "peak_bytes", "group": "'$group'", "max": 100}]}' >budget.json
	xalloc-report check --color=never --budget budget.json small.zst
	echo "$group: $?"
done
