# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "no \u001b", "any": ["nobody"]}]}' >rules.json
xalloc-report groups --rules rules.json --color=always small.zst | sed -n '1,8s/\x1b/ESC/gp'
