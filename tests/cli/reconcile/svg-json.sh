# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report reconcile --svg --json --rss rss.json small.zst
