# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report folded --full-names cxx.zst
