# SPDX-License-Identifier: GPL-3.0-or-later
head -c 8192 /dev/zero >zeros; xalloc-report zeros
