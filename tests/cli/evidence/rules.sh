# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
echo '{"schema": "xalloc-groups/1", "groups": [{}]}' >rules.json
xalloc-report evidence pack -o pack --rules rules.json small.zst
