# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report reconcile --top 1 --rss rss.json small.zst
