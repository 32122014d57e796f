# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report compact --drop addresses,names -o new.zst small.zst
