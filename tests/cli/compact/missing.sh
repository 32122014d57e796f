# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report compact -o new.zst absent.zst
