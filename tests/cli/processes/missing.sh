# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report sh.101.zst missing.zst
