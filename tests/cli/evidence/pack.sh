# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report evidence pack -o pack small.zst
mkdir elsewhere
mv program small.zst elsewhere
xalloc-report evidence verify pack
cat pack/derived/small.zst/peak.folded
(cd pack && sha256sum -c SHA256SUMS)
