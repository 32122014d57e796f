# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report "$(printf "a\\033[31m\\nb")"
