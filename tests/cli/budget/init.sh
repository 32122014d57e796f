# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report budget init small.zst
xalloc-report budget init -o budget.json small.zst none.zst
cat budget.json
xalloc-report check --budget budget.json small.zst | head -n 1
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "paths", "all": ["join_path"]}]}' >rules.json
xalloc-report budget init -o budget.json --rules rules.json small.zst small.zst
tail -n 30 budget.json
xalloc-report check --budget budget.json small.zst | head -n 1
