# SPDX-License-Identifier: GPL-3.0-or-later
mkdir empty
xalloc-report evidence unpack -o out empty
