# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# What is called as a trace and cannot be read is not passed over.
cat >budget.json <<'END'
{"schema": "xalloc-budget/1", "limits": [
  {"metric": "allocation_calls", "max": 6}
]}
END
mkdir folder
cp small.zst folder
echo junk >folder/else.zst
xalloc-report check --budget budget.json folder && echo $?
ln -s loop.zst folder/loop.zst
xalloc-report check --budget budget.json folder 2>&1 || echo $?
rm folder/loop.zst
: >folder/empty.zst
xalloc-report check --budget budget.json folder 2>&1 || echo $?
