# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report --demangle=no --top 1 cxx.zst
