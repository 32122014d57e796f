# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report evidence pack -o pack --max-size 4K small.zst
sed -i s/join_path/join_pith/ pack/derived/small.zst/calls.folded
touch pack/more
rm pack/originals/small.zst.symbols
xalloc-report evidence verify pack
