# SPDX-License-Identifier: GPL-3.0-or-later
xalloc-report html --strict -o new.html damaged.zst || test $? = 4 && grep -o "<p class=.alarm.>" new.html | uniq
