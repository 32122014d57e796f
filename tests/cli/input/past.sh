# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report past.zst
