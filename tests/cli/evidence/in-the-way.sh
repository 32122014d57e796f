# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
mkdir pack
touch pack/mine
xalloc-report evidence pack -o pack small.zst
