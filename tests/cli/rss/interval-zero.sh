# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --interval 0 true
