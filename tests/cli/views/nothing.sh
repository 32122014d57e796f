# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
for view in sizes lifetimes growth-copies threads; do
	xalloc-report $view none.zst
done
