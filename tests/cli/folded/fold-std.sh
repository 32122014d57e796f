# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report folded --metric bytes plumbing.zst
xalloc-report folded --metric bytes --fold-std plumbing.zst
xalloc-report folded --metric bytes --fold-std --demangle=no plumbing.zst
