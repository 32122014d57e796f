# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --exact-peak --exit-snapshot=on true
