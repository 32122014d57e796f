# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report compact --json -o new.zst small.zst
