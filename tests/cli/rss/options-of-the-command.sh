# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss echo --runs -o -- 2>/dev/null
