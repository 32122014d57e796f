# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cat >rules.json <<'END'
{
  "schema": "xalloc-groups/1",
  "groups": [
    {"name": "path joins", "all": ["join_path"], "none": ["[truncated]"]},
    {"name": "tables", "all": ["leaf:build", "root:main"]}
  ]
}
END
xalloc-report groups --rules rules.json small.zst
