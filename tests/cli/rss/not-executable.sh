# SPDX-License-Identifier: GPL-3.0-or-later
touch file
xalloc rss ./file
