# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
cat >leaks.supp <<'END'
# of LeakSanitizer
leak:join_p*h
leak:^build$
leak:/program
leak:nowhere
END
xalloc-report groups --suppress leaks.supp small.zst
xalloc-report groups --suppress leaks.supp --json small.zst | sed -n '/"suppressions"/,$p'
