# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
mkdir root
xalloc-report folded --sysroot root small.zst
