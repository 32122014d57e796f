# SPDX-License-Identifier: GPL-3.0-or-later
xalloc record -o t.zst sh -c 'echo out; echo err >&2; exit 7'
