# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# No name that is printed reaches a terminal as it is.
esc=$(printf 'a\033[31m\nb')
cp small.zst "$esc.zst"
xalloc-report compact -o "$esc.small" "$esc.zst" | sed 's/[0-9,]* bytes.*of/N of/'
xalloc-report bundle-symbols -o "$esc.symbols" "$esc.zst" | sed 's/[0-9,]* bytes.*for/N for/'
