# SPDX-License-Identifier: GPL-3.0-or-later
"""make case-study: records treewalk on broad and deep trees and writes docs/case-study.md with its chart.

case_study.py BUILD OUTPUT_FOLDER [FILES...]
"""
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

import trees

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(HERE, "rules.json")
MODES = ("enumerate", "collect")
COLOURS = ("#4878a8", "#e0883a", "#5a9e5a", "#b05a9e", "#999999")
RSS_RUNS = 3
ENTRY_BYTES = 40  # a std::string and a type


def run(argv, **kw):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **kw)
    if done.returncode != 0:
        sys.exit("%s: status %d: %s" % (" ".join(argv), done.returncode, done.stderr))
    return done.stdout


def path_bytes(layout, root, files):
    """What the joined paths of a listing take, by directory: each is as long as its text and a NUL."""
    places = trees.directories(layout, root)
    entries = {place: 0 for place in [root] + places}
    counts = dict(entries)
    for place in places:
        entries[os.path.dirname(place)] += len(place) + 1
        counts[os.path.dirname(place)] += 1
    for number in range(files):
        place = places[number * len(places) // files]
        entries[place] += len(place) + 1 + trees.NAME_BYTES + 1
        counts[place] += 1
    return entries, counts


def room(count):
    """Entries that a listing of so many has room for."""
    has = 64 if count else 0
    while has < count:
        has *= 2
    return has


def at_most(count, bytes_each):
    """(paths, room) of the directory that is read, when both together are most: at its end, or while its room doubles, when
    the old one is there, too, and the path of the entry that did not fit."""
    moments = [((has + 1) * bytes_each, 3 * has * ENTRY_BYTES) for has in (64 << step for step in range(24)) if has < count]
    return max(moments + [(count * bytes_each, room(count) * ENTRY_BYTES)], key=sum)


def on_paper(layout, root, files):
    """(path joins, listing reserves) at the peak of enumerate: of what is open above, and of the directory that is read."""
    entries, counts = path_bytes(layout, root, files)
    if layout == "deep":
        last = max(entries, key=len)
        above = [place for place in entries if place != last]
    else:
        last = max((place for place in entries if place != root), key=lambda place: entries[place])
        above = [root]
    paths, reserve = at_most(counts[last], entries[last] // counts[last])
    return (sum(entries[place] for place in above) + paths,
            sum(room(counts[place]) * ENTRY_BYTES for place in above) + reserve)


def measure(build, work, layout, mode, files):
    """One row: the figures of one recorded run, of sampled ones, and whether the output is the oracle's."""
    root = os.path.join(work, "%s-%d" % (layout, files))
    program, trace = os.path.join(build, "controls", "treewalk"), os.path.join(work, "trace.zst")
    rss = os.path.join(work, "rss.json")
    if not os.path.exists(root):
        trees.make(layout, root, files)
    native = run([program, mode, root])
    if native.splitlines() != trees.walked(mode, layout, root):
        sys.exit("%s %s: treewalk's output is not what is in the tree" % (mode, root))
    if run([os.path.join(build, "xalloc"), "record", "-o", trace, program, mode, root]) != native:
        sys.exit("%s %s: the output changed when it was recorded" % (mode, root))
    run([os.path.join(build, "xalloc"), "rss", "-o", rss, "--runs", str(RSS_RUNS), program, mode, root])
    report = os.path.join(build, "xalloc-report")
    groups = json.loads(run([report, "groups", "--json", "--rules", RULES, trace]))
    totals = json.loads(run([report, "--json", "--top", "1", trace]))["totals"]
    with open(rss) as file:
        peak = json.load(file)["peak_rss_bytes"]
    return {"layout": layout, "mode": mode, "files": files, "totals": totals, "rss": peak["median"],
            "rss_range": (peak["minimum"], peak["maximum"]), "paper": on_paper(layout, root, files),
            "groups": [(group["name"], group["peak_bytes"], group["peak_blocks"], group["allocation_calls"])
                       for group in groups["groups"]], "trace": trace, "root": root}


def mib(count):
    return "%.1f" % (count / 1048576)


def chart(rows):
    """Horizontal bars, stacked by group, on one scale; the thin line is the native peak RSS."""
    most, height, left = max(max(row["totals"]["peak_bytes"], row["rss"]) for row in rows), 22, 210
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="900" height="%d" font-family="sans-serif" font-size="12">'
           % (height * len(rows) + 60), '<rect width="100%" height="100%" fill="white"/>']
    for number, row in enumerate(rows):
        y, x = 10 + number * height, float(left)
        out.append('<text x="%d" y="%d" text-anchor="end">%s %s %s</text>' %
                   (left - 8, y + 14, row["layout"], row["mode"], format(row["files"], ",")))
        for (name, count, _, _), colour in zip(row["groups"], COLOURS):
            wide = count / most * 560
            out.append('<rect x="%.1f" y="%d" width="%.1f" height="16" fill="%s"><title>%s: %s MiB</title></rect>' %
                       (x, y, wide, colour, name, mib(count)))
            x += wide
        at = left + row["rss"] / most * 560
        out.append('<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="black"/>' % (at, at, y - 1, y + 17))
        out.append('<text x="%.1f" y="%d">%s MiB</text>' % (max(x, at) + 6, y + 13, mib(row["totals"]["peak_bytes"])))
    y = 10 + len(rows) * height + 20
    for number, ((name, _, _, _), colour) in enumerate(zip(rows[0]["groups"], COLOURS)):
        out.append('<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d">%s</text>' %
                   (20 + number * 160, y - 10, colour, 36 + number * 160, y, name))
    out.append('<text x="820" y="%d">| RSS</text></svg>' % y)
    return "\n".join(out) + "\n"


def table(rows):
    names = [name for name, _, _, _ in rows[0]["groups"]]
    out = ["| tree | files | mode | allocation calls | tracked peak, bytes | " + " | ".join(names) +
           " | native peak RSS, MiB |", "| --- " * (6 + len(names)) + "|"]
    for row in rows:
        out.append("| %s | %s | %s | %s | %s | %s | %s |" % (
            row["layout"], format(row["files"], ","), row["mode"], format(row["totals"]["allocation_calls"], ","),
            format(row["totals"]["peak_bytes"], ","),
            " | ".join(format(count, ",") for _, count, _, _ in row["groups"]), mib(row["rss"])))
    return "\n".join(out)


def find(rows, layout, mode, files):
    return next(row for row in rows if (row["layout"], row["mode"], row["files"]) == (layout, mode, files))


def why(rows, files):
    """The text that the stacks give: which listings are open at the peak, and how long their paths are."""
    deep, broad = (find(rows, layout, "enumerate", files) for layout in ("deep", "broad"))
    named = {row["layout"]: {name: (count, blocks) for name, count, blocks, _ in row["groups"]} for row in (deep, broad)}
    paths, others = named["deep"]["path joins"], named["broad"]["path joins"]
    twice = named["broad"]["listing reserves"][1] > 2
    return """Both trees have %s files. At the peak of the deep one %d listings are open, with %s joined paths of %.0f bytes each; of the broad one 2, with %s of %.0f. The stacks say why:
`ReadDir::JoinPath` is called by `ReadDir::List` by `WalkDirectory`, and `WalkDirectory` calls itself once for each level. It keeps its listing, and
with it the joined path of every entry, until all below it was walked. So a level more costs a listing more, and each path in it is longer by the name of a directory. In the
deep tree nothing is given back before the deepest directory was read.
%s
What would help follows from the table: path joins are %.0f %% of the deep tree's peak. A listing that keeps names and joins a path when it needs one would hold
25 bytes an entry in place of %.0f.""" % (
        format(files, ","), trees.LAYOUTS["deep"] + 1, format(paths[1], ","), paths[0] / paths[1], format(others[1], ","),
        others[0] / others[1], """
The broad tree's peak is not where a directory was read to its end, but where its listing grew: the room doubles, and while entries are moved the old room is there, too. To
reserve what the directory holds would have saved that.
""" if twice else "", 100 * paths[0] / deep["totals"]["peak_bytes"], paths[0] / paths[1])


def document(rows, explained, sizes):
    checked = [row for row in rows if row["mode"] == "enumerate"]
    paper = "\n".join("| %s | %s | %s | %s | %s | %s |" % (
        row["layout"], format(row["files"], ","), *(format(number, ",") for number in row["paper"]),
        *(format(count, ",") for _, count, _, _ in row["groups"][:2])) for row in checked)
    return """# Case study: what a directory walker holds

`make case-study` wrote this, on %s, with Linux %s, from its own runs. `controls/treewalk/` has the program, a walker with the shape of the one whose audit this project comes from, the
trees (`trees.py`), the rules and the script.

A tree has the same number of files in two layouts: **broad**, 20 directories below the root; **deep**, a chain of 50. Names have 24 characters. `enumerate` counts, `collect`
keeps every path until the end and prints them sorted. Each run's output is compared with what Python's `os.walk` finds, natively and recorded. Allocation calls, the tracked peak (the greatest total
of live requested bytes) and the groups are exact and of a run under `xalloc record`; peak RSS is of %d runs without it (`xalloc rss`), the median.

%s

![what is held at the peak, by group](case-study.svg)

Each stack is in one group (`controls/treewalk/rules.json`); the groups add up to the tracked peak. *Path joins* are what `ReadDir::JoinPath` made, *listing reserves* the room of listings for their
entries, *collection buffers* the paths that `collect` keeps and the vector that holds them, *stat copies* what `eager-stat` keeps; *other* is what C and C++ libraries took for themselves: 72,704
bytes for exceptions without memory, a buffer for standard output and 32,816 bytes for an open directory.

## The same on paper

`enumerate`'s figures follow from the tree: a joined path takes its length and one byte, an entry 40 bytes in a listing
whose room doubles from 64; while it doubles both rooms are there.

| tree | files | path joins, on paper | listing reserves, on paper | path joins, measured | listing reserves, measured |
| --- | --- | --- | --- | --- | --- |
%s

## Why the peak grows with depth

%s

The stack that holds most of it, from the largest deep tree (`xalloc-report groups --explain "path joins"`):

```
%s
```

## Running it again

`make case-study` takes some minutes and half a gigabyte for its trees; `make case-study FILES="2000 5000"` is quick. `tests/treewalk.test` runs it small: the output, the sums and the figures on paper.
""" % (datetime.date.today().isoformat(), platform.release(), RSS_RUNS, table(rows), paper, why(rows, sizes[-1]),
       explained)


def explain(build, row):
    """The first stack of the largest group, as the report prints it, cut to its lines."""
    text = run([os.path.join(build, "xalloc-report"), "groups", "--rules", RULES, "--explain", "path joins", "--top", "1",
                row["trace"]])
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.lstrip().startswith("1. "))
    last = next((at for at in range(first + 1, len(lines)) if not lines[at].startswith("      ")), len(lines))
    shown = lines[first:last]
    return "\n".join(line.rstrip() for line in (shown if len(shown) <= 12 else shown[:8] + ["      ..."] + shown[-3:]))


def main():
    build, output = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    sizes = [int(size) for size in sys.argv[3:]] or [20000, 50000, 100000]
    work, rows, explained = tempfile.mkdtemp(prefix="case-study."), [], ""
    try:
        for layout in trees.LAYOUTS:
            for files in sizes:
                for mode in MODES:
                    rows.append(measure(build, work, layout, mode, files))
                    if (layout, mode, files) == ("deep", "enumerate", sizes[-1]):
                        explained = explain(build, rows[-1])
                shutil.rmtree(rows[-1]["root"])
    finally:
        shutil.rmtree(work, ignore_errors=True)
    for row in rows:
        if sum(count for _, count, _, _ in row["groups"]) != row["totals"]["peak_bytes"]:
            sys.exit("%(layout)s %(mode)s %(files)d: the groups do not add up to the peak" % row)
        if row["mode"] == "enumerate" and row["paper"] != tuple(count for _, count, _, _ in row["groups"][:2]):
            sys.exit("%s %d: on paper %s, measured %s" % (row["layout"], row["files"], row["paper"], row["groups"][:2]))
    with open(os.path.join(output, "case-study.svg"), "w") as file:
        file.write(chart(rows))
    with open(os.path.join(output, "case-study.md"), "w") as file:
        file.write(document(rows, explained, sizes))


main()
