# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "joins", "all": ["join_path"]}]}' >rules.json
xalloc-report groups --rules rules.json --group joins small.zst
xalloc-report --group other --rules rules.json --top 1 small.zst | sed -n "6,7p"
