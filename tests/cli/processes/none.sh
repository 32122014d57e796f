mkdir traces
mv text.txt traces
xalloc-report traces
