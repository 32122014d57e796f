# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --exit-snapshot=off sh -c 'sleep 0.1; exit 0'
