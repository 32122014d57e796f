# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report anonymize --json --output other.zst small.zst
