# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report compact --drop addresses,stamps --output=new.zst damaged.zst
