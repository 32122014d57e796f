# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report compact --drop addresses, -o new.zst small.zst
