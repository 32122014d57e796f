# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report html -o small.zst small.zst
