# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report evidence pack -o pack small.zst
sed -i s/join_path/join_pith/ pack/derived/small.zst/calls.folded
(cd pack && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
xalloc-report evidence verify pack
