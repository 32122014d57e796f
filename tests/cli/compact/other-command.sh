# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report summary -o new.zst small.zst
