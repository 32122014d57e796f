# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
name="$(printf "a\\033[31m\\nb")"
cp small.zst "$name.zst"
xalloc-report verify "./$name.zst"
