mkdir traces
mv sh.zst sh.exec1.zst traces
xalloc-report --json traces/
