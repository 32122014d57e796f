# SPDX-License-Identifier: GPL-3.0-or-later
printf 'text' >program
xalloc-report folded small.zst
