# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
for trace in damaged.zst lost.zst signal.zst killed.zst text.txt; do
	xalloc-report budget init "$trace"
	echo "$trace: $?"
done
xalloc-report budget init --allow-signal signal.zst | head -n 2
xalloc-report budget init -o none/budget.json small.zst || echo $?
xalloc-report budget init --budget budget.json small.zst || echo $?
xalloc-report budget init --rules none.json small.zst || echo $?
xalloc-report budget small.zst || echo $?
echo 'my notes' >notes.txt
xalloc-report budget init -o notes.txt small.zst || echo $?
cat notes.txt
