# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report sizes --json --size -50 small.zst | sed -n '/"classes"/,$p'
