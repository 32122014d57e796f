# SPDX-License-Identifier: GPL-3.0-or-later
echo text >file
xalloc rss -o file true || { cat file; exit 1; }
