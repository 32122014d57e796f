# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report pinners --snapshot 7 snapshot.zst
