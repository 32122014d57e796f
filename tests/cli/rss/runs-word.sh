# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --runs few true
