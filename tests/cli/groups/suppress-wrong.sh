# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
printf 'leak:a\n\n  leaks:b\n' >one.supp
printf 'leak:\n' >two.supp
printf 'leak:a\0b\n' >zero.supp
for file in one.supp two.supp none.supp zero.supp /dev/zero; do
	xalloc-report groups --suppress $file small.zst || echo $?
done
