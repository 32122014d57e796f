# SPDX-License-Identifier: GPL-3.0-or-later
mkdir there
xalloc rss -o there true
