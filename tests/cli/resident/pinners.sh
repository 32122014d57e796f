# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report pinners --snapshot 0 --full-names snapshot.zst
