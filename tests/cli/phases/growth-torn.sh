# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
# No iterations, and a part is missing: that is said, too.
xalloc-report growth torn.zst
xalloc-report growth --strict torn.zst >/dev/null || echo $?
