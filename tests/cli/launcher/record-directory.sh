# SPDX-License-Identifier: GPL-3.0-or-later
mkdir here; xalloc record -o here true
