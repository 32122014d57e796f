# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --json damaged.zst | grep -E "complete|damaged|lost_events|offset"
