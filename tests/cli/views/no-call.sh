# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --thread 9 small.zst | grep -c "0 allocation calls"
xalloc-report --size 5000- --json small.zst | grep allocation_calls
