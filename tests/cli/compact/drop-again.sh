# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report compact --drop addresses -o new.zst small.zst && xalloc-report compact --json --drop stamps -o newer.zst new.zst | grep -A3 dropped
