# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# Not complete: not comparable (3), with --strict 4; a single run, too, has no spread then.
status() { "$@" >/dev/null || echo $?; }
xalloc-report diff torn.zst torn.zst | grep events
status xalloc-report diff --strict torn.zst small.zst
status xalloc-report spread torn.zst
status xalloc-report spread --strict small.zst torn.zst
status xalloc-report slope --n1 1 --n2 2 torn.zst torn.zst
status xalloc-report slope --strict --n1 1 --n2 2 torn.zst torn.zst
