# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report compact --output=new.zst damaged.zst
