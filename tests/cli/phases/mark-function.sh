# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
xalloc-report phases --mark-function join_path --mark-function build small.zst
xalloc-report phases --mark-function build --mark-function join_path small.zst | tail -n 5
xalloc-report phases --mark-function '/a(/' small.zst
echo $?
xalloc-report summary --mark-function build small.zst
echo $?
