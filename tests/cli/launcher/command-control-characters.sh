# SPDX-License-Identifier: GPL-3.0-or-later
xalloc "$(printf 'x\ny\033[31m')"
