# SPDX-License-Identifier: GPL-3.0-or-later
for command in attach detach; do
	xalloc $command && echo "$command: done" || echo "$command: $?"
done
