# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report folded --json small.zst killed.zst
