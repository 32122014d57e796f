# SPDX-License-Identifier: GPL-3.0-or-later
echo text >other.zst.symbols
xalloc-report anonymize -o other.zst small.zst
