# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report half-header.zst
