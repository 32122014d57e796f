# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report compact --drop stamps -o new.zst small.zst && xalloc-report --json new.zst | grep -e _ns -e 'were dropped'
