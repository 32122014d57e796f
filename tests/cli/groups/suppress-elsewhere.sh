# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
set +e
printf 'leak:join_p*h\nleak:nowhere\n' >leaks.supp
echo '{"schema": "xalloc-budget/1", "limits": [{"metric": "leaked_bytes", "max": 1}]}' >budget.json
xalloc-report summary --top 1 --suppress leaks.supp small.zst | tail -n 22
xalloc-report folded --metric leaked --suppress leaks.supp small.zst
xalloc-report diff --metric leaked --suppress leaks.supp small.zst small.zst
xalloc-report spread --suppress leaks.supp small.zst small.zst | head -n 12
xalloc-report check --budget budget.json --suppress leaks.supp small.zst
echo $?
xalloc-report summary --suppress leaks.supp small.zst small.zst
xalloc-report sizes --suppress leaks.supp small.zst
echo $?
