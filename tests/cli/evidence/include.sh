# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "joins", "any": ["join_path"]}]}' >joins.json
mkdir team
echo '{"schema": "xalloc-groups/1", "include": ["../joins.json"]}' >team/rules.json
xalloc-report evidence pack -o pack --rules team/rules.json small.zst
ls -R pack/originals
xalloc-report evidence verify pack
echo '{"schema": "xalloc-groups/1", "include": ["'$PWD'/joins.json"]}' >team/rules.json
xalloc-report evidence pack -o other --rules team/rules.json small.zst
