# SPDX-License-Identifier: GPL-3.0-or-later
ln -s loop loop; xalloc-report loop
