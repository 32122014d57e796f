# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
mkdir -p sets
echo '{"schema": "xalloc-groups/1", "include": ["./joins.json", "../rules.json"]}' >sets/all.json
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "joins", "all": ["join_path"]}]}' >sets/joins.json
echo '{"schema": "xalloc-groups/1", "include": ["sets/joins.json", "sets/all.json"]}' >rules.json
xalloc-report groups --rules sets/joins.json small.zst | grep -e joins -e other
# each file once
xalloc-report groups --rules rules.json small.zst
