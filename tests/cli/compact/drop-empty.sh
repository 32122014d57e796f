# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report compact --drop= -o new.zst small.zst
