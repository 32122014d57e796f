# SPDX-License-Identifier: GPL-3.0-or-later
xalloc rss --runs 3 sh -c 'kill -KILL $$' || echo "status $?"
