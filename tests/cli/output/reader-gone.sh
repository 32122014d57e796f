# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program; a reader that has gone ends the report by SIGPIPE, without a word
{ sleep 0.3; xalloc-report small.zst || echo "status $?" >&2; } | true
