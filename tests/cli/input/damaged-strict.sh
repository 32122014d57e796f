# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report --strict damaged.zst >/dev/null
