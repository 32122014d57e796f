# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --json --top 1 --from 10 --to 1s --thread 0 --size 0-4M small.zst | sed -n "/\"filter\"/,/\"whole\"/p"
