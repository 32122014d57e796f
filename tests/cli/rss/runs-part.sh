# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --runs 1.5 true
