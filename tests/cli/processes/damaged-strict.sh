mkdir traces
mv sh.zst half-header.zst traces
xalloc-report --strict traces
