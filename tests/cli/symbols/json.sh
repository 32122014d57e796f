# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report symbols --json small.zst
