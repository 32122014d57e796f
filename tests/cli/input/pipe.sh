# SPDX-License-Identifier: GPL-3.0-or-later
cat small.zst | xalloc-report /dev/stdin
