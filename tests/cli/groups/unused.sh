# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cat >rules.json <<'END'
{"schema": "xalloc-groups/1", "include": ["std"], "groups": [
  {"name": "strings", "any": ["foo::bar", "foo::baz"]},
  {"name": "again", "all": ["foo", "root:main"]},
  {"name": "arguments", "any": ["basic_string", "char", "/char/", "leaf:file:x.cc"]},
  {"name": "not any", "all": ["full:char const"], "none": ["module:program"]}
]}
END
xalloc-report groups --rules rules.json cxx.zst
