# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report anonymize -o other.zst damaged.zst
