# SPDX-License-Identifier: GPL-3.0-or-later
# needs: program
wrong() {
	if xalloc-report "$@" small.zst; then exit 9; fi
}
wrong --thread main
wrong --from 1.5h
wrong --to 1.s
wrong --at 99999999999999999999s
wrong --size 10-5
wrong --size -
wrong --at 1s --from 1s
wrong --from 2s --to 1s
wrong --group joins
wrong --function /x
wrong --function nobody --rules none.json --group a
wrong --thread 0 sh.zst
wrong verify --thread 0
wrong compact -o less.zst --function f
