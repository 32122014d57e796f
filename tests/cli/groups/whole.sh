# SPDX-License-Identifier: GPL-3.0-or-later
# Lists of whole texts; a group that may be empty is neither shown nor warned of.
# needs: program
cat >rules.json <<'END'
{"schema": "xalloc-groups/1",
 "groups": [{"name": "parts", "any": [{"full:": ["join", "join_path(int)"]}], "optional": true},
            {"name": "joins", "all": [{"leaf:full:": ["x", "join_path"]}, {"root:full:": ["main"]}], "optional": false},
            {"name": "none", "any": [{"file:": []}]}]}
END
xalloc-report groups --rules rules.json --explain joins small.zst
