# SPDX-License-Identifier: GPL-3.0-or-later
echo '{"schema": "xalloc-rss/2"}' >rss.json
xalloc-report evidence pack -o pack rss.json
