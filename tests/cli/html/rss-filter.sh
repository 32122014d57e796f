# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report html -o new.html --rss rss.json --size 1-9 small.zst
