# SPDX-License-Identifier: GPL-3.0-or-later
xalloc record -o t.zst -- printf "%s " --report -o; test -s t.zst
