# nobody holds any figure
mkdir traces
mv none.zst traces
xalloc-report traces
