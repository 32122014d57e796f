# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report reconcile --strict --rss rss.json lost.zst
