# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# Each line is a rules file.
while read -r rules; do
	printf '%s\n' "$rules" >rules.json
	xalloc-report groups --rules rules.json small.zst && echo 'this is right?'
done <<'END' 2>&1
{"schema": "xalloc-groups/1", "groups": [}
{"schema": "xalloc-groups/2"}
{"groups": []}
[]
{"schema": "xalloc-groups/1", "group": []}
{"schema": "xalloc-groups/1", "groups": {}}
{"schema": "xalloc-groups/1", "schema": "xalloc-groups/1"}
{"schema": "xalloc-groups/1", "groups": [3]}
{"schema": "xalloc-groups/1", "groups": [{"all": ["a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "", "all": ["a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "all": ["a"]}, {"name": "a", "all": ["a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "other", "all": ["a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a"}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": []}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": "b"}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["b", 1]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "every": ["b"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["b"], "optional": 1}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [["b"]]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{"full:": "b"}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{"full:": ["b"], "file:": ["c"]}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{"full:": ["b", 1]}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{"name:": ["b"]}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{"leaf:": ["b"]}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [{"full:leaf:": ["b"]}]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": [""]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["leaf:file:"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["//"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["a", "/b(/"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["/(b)\\1/"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["/((b{1,250}){1,250}){1,250}/"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "none": ["/b"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["a::"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["::a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["file:a//b"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["file:leaf:a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["file:module:a"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["vector<int>"]}]}
{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["foo::bar(char const*)"]}]}
{"schema": "xalloc-groups/1", "include": ["vectors"]}
{"schema": "xalloc-groups/1", "include": ["./vectors.json"]}
{"schema": "xalloc-groups/1", "include": [1]}
{"schema": "xalloc-groups/1", "include": "std"}
END
xalloc-report groups --rules none.json small.zst || echo $?
xalloc-report groups --rules . small.zst || echo $?
# the reason stands behind what is too long to be shown whole
printf '{"schema": "xalloc-groups/1", "groups": [{"name": "a", "any": ["f(int)%0600d"]}]}' 0 >rules.json
xalloc-report groups --rules rules.json small.zst 2>&1 | grep -o 'names are matched.*'
