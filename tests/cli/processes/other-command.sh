# other commands take traces
mkdir traces
mv sh.zst traces
xalloc-report folded traces
