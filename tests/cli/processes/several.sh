# any order; then the summary of each
xalloc-report --top 1 sh.102.zst sh.101.zst
