# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report html -o new.html small.zst && grep -c "<canvas" new.html && grep -o "<title>[a-z]*: heap" new.html
