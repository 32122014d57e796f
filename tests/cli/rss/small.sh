# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss -o out.json --interval 5 sh -c 'echo out; echo err >&2; exit 3' || echo "status $?"
head -n 2 out.json
