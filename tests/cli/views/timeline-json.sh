# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report timeline --json --size 1K- small.zst | sed -n '/"unit"/,/}/p'
