# SPDX-License-Identifier: GPL-3.0-or-later
mkdir pack
xalloc-report evidence verify pack
