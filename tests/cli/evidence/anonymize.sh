# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report evidence pack --anonymize -o pack small.zst
ls pack/originals
cat pack/derived/trace.zst/peak.folded
