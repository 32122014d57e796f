xalloc-report --json sh.103.zst sh.105.zst
