# SPDX-License-Identifier: GPL-3.0-or-later
mkfifo fifo; xalloc-report fifo
