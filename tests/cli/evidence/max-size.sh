# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report evidence pack -o pack --max-size 4G small.zst
