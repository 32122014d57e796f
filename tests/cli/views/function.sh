# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report folded --metric calls --function join_path --module program small.zst
