# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report html --json --top 1 --output=new.html small.zst | grep -v bytes
