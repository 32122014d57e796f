# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --json sh.103.zst sh.105.zst
