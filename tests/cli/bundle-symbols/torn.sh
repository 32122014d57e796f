# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# Of a damaged trace it has what is there, and says that more may be missing.
rm -f torn.symbols
xalloc-report bundle-symbols -o torn.symbols torn.zst | sed 's/[0-9]* bytes/N bytes/'
xalloc-report bundle-symbols --strict -o torn.symbols torn.zst >/dev/null 2>&1 || echo $?
