# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# Rules and suppressions that a script makes up need no file.
echo '{"schema": "xalloc-groups/1", "groups": [{"name": "joins", "all": ["join_path"]}]}' |
	xalloc-report groups --rules /dev/stdin small.zst | grep -e joins -e other
echo 'leak:join_path' | xalloc-report groups --suppress /dev/stdin small.zst | grep -e warning -e Suppressed
