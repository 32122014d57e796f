# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report lifetimes --json --from 25 small.zst | sed -n '/"ended"/,/"stacks"/p'
