# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "joins", "any": ["join_path"]}]}' >rules.json
xalloc-report evidence pack --rules rules.json --json --output pack small.zst
xalloc-report evidence verify --json pack
