# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
xalloc-report compact --drop stamps,addresses -o new.zst small.zst >one && xalloc-report verify new.zst | grep -e dropped -e verified
