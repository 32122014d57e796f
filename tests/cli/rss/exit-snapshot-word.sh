# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --exit-snapshot=maybe true
