# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report reconcile --svg --rss rss.json small.zst --rss rss.json small.zst
