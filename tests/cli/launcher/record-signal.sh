# SPDX-License-Identifier: GPL-3.0-or-later
xalloc record -o t.zst sh -c 'kill -TERM $$' || echo "status $?"
xalloc-report --json t.zst | grep exit
