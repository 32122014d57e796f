# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report reconcile --svg --rss other-rss.json small.zst
