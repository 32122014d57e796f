# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report reconcile --rss text.txt small.zst
