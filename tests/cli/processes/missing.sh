xalloc-report sh.101.zst missing.zst
