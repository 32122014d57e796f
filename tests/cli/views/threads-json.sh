# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report threads --json --function join_path small.zst | sed -n '/"thread_count"/,$p'
