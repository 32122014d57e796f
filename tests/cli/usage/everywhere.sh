# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
for command in summary folded verify; do
	xalloc-report $command --json --top 3 --demangle=no --debug-dir . --color=always --mem-limit 200000000 \
		--strict small.zst >out && echo "$command: $?"
done
