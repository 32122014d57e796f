# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --demangle=yes --top 1 cxx.zst
