# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report html -o new.html --rss rss.json small.zst && grep -c ">unexplained</text>" new.html
