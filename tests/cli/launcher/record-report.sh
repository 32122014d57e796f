# SPDX-License-Identifier: GPL-3.0-or-later
xalloc record -o t.zst --report sh -c 'exit 7'
