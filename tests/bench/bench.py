#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what recording costs, native, heaptrack's and ours, in rounds in which they take turns.

Environment: ROWS=NAME,NAME (default: all), ROUNDS=N (3), LIMIT=SECONDS (40): a row that would take longer has fewer
rounds, but one at least; QUICK=1: one round, and nothing but CPU, bytes and memory.
Prints tables (Markdown) and verdicts, writes BUILD/bench.json. Exit status 1: a bound is not kept, or a run failed."""
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import bench_rows
import bench_run
from bench_judge import added, judge, median, ratio, share
from bench_run import Failed

QUICK = os.environ.get("QUICK", "") not in ("", "0")
ROUNDS = 1 if QUICK else int(os.environ.get("ROUNDS") or 3)
LIMIT = float(os.environ.get("LIMIT") or 40)
WANTED = [name for name in os.environ.get("ROWS", "").split(",") if name]


def find_heaptrack(temporary):
    """None: not installed."""
    os.environ["TMPDIR"] = temporary  # where the tests' modules have their files
    from peers import HEAPTRACK
    return bench_run.Heaptrack(HEAPTRACK) if HEAPTRACK and shutil.which("zstd") else None


def measure_rounds(row, command, place, peer):
    """A list of mode -> Taken. The last round's files stay."""
    start = time.monotonic()
    modes = [("native", bench_run.run_native), ("hand", bench_run.run_hand), ("record", bench_run.run_record)]
    if peer:
        modes.insert(1, ("heaptrack", peer.run))
    rounds = []
    bench_run.run_native(row, command, os.path.join(place, "native"))  # what it reads is in memory from here on
    for i in range(ROUNDS):
        taken = {}
        for mode, run in modes if i % 2 == 0 else reversed(modes):
            try:
                taken[mode] = run(row, command, os.path.join(place, mode))
            except Failed as failure:
                if mode != "heaptrack":
                    raise Failed("%s: %s" % (mode, failure)) from failure
                print("%s: heaptrack: %s" % (row.name, failure), file=sys.stderr)
                modes = [m for m in modes if m[0] != mode]
        rounds.append(taken)
        if (time.monotonic() - start) * (i + 2) / (i + 1) > LIMIT:
            break
    return rounds


def sizes_of(row, place, peer):
    """Bytes of the traces and of heaptrack's file, allocation calls, blocks at the peak."""
    if row.runs > 1:
        return {}, 0
    sizes, calls, peak_blocks = {}, 0, 0
    for mode in "hand", "record":
        sizes[mode] = sum(map(bench_run.file_bytes, bench_run.traces(os.path.join(place, mode))))
    for trace in bench_run.traces(os.path.join(place, "hand")):
        totals = bench_run.totals(trace)
        calls += totals["allocation_calls"]
        peak_blocks = max(peak_blocks, totals["peak_blocks"])
    if peer and not row.raw:
        sizes["heaptrack"] = bench_run.file_bytes(peer.file(os.path.join(place, "heaptrack")))
    sizes["calls"] = calls
    if not QUICK:
        sizes["compact"] = bench_run.compacted_bytes(bench_run.traces(os.path.join(place, "record"))[0], place)
    return sizes, peak_blocks


def costs_of(row, place, peer, times):
    """Pairs of what ours and heaptrack_print take."""
    if QUICK or row.runs > 1 or not peer or row.raw:
        return []
    folder = os.path.join(place, "analysis")
    trace = bench_run.traces(os.path.join(place, "record"))[0]
    file = peer.file(os.path.join(place, "heaptrack"))
    return [(bench_run.analysis(row, [bench_run.REPORT, "summary", trace], folder),
             bench_run.analysis(row, [peer.print, "-f", file], folder))
            for _ in range(times if row.bounds.get("analysis") else 1)]


def measure_row(row, place, peer):
    """None: what it needs is not installed."""
    os.makedirs(place)
    command = row.make(place)
    if not command:
        return None
    rounds = measure_rounds(row, command, place, peer)
    if not all("heaptrack" in r for r in rounds):
        peer = None
    sizes, peak_blocks = sizes_of(row, place, peer)
    costs = costs_of(row, place, peer, len(rounds))
    return {"rounds": rounds, "sizes": sizes, "costs": costs, "peak_blocks": peak_blocks}


def number(value, form="%.2f"):
    return "–" if value is None else form % value


def fraction(value):
    """A share as 1/N."""
    return "–" if value is None else "none" if value <= 0.001 else "1/%.1f" % (1 / value)


def print_table(head, lines):
    print("\n| %s |\n|%s" % (" | ".join(head), " --- |" * len(head)))
    for line in lines:
        print("| %s |" % " | ".join(line))


def line_of_cpu(row, result):
    rounds = result["rounds"]
    cells = [row.name, str(len(rounds)), number(median(rounds, lambda r: r["native"].target), "%.3f")]
    cells += [number(median(rounds, ratio(mode, what))) for mode, what in (
        ("heaptrack", "target"), ("heaptrack", "tree"), ("hand", "target"), ("record", "target"), ("record", "tree"))]
    cells += [fraction(median(rounds, share(mode, what, peer))) for mode, what, peer in (
        ("record", "target", "target"), ("record", "tree", "tree"), ("hand", "target", "tree"))]
    return cells + [number(median(rounds, ratio(mode, "wall"))) for mode in ("heaptrack", "hand", "record")]


def line_of_size(row, result):
    rounds, sizes = result["rounds"], result["sizes"]
    cells = [row.name, "{:,}".format(sizes["calls"]) if sizes else "–"]
    cells += [number(sizes[mode] / sizes["calls"], "%.3f") if sizes.get(mode) else "–"
              for mode in ("heaptrack", "hand", "record")]
    cells += [number(median(rounds, added(mode, "resident")) / 1e6, "%.1f")
              if all(mode in r for r in rounds) and (mode != "record" or row.runs == 1) else "–"
              for mode in ("heaptrack", "hand", "record")]
    if not result["costs"]:
        return cells + ["–"] * 6
    ours, peer = ([pair[i] for pair in result["costs"]] for i in (0, 1))
    for what in "wall", "target":
        cells += ["%.2f" % min(getattr(taken, what) for taken in takens) for takens in (peer, ours)]
    return cells + ["%.0f" % (max(taken.resident for taken in takens) / 1e6) for takens in (peer, ours)]


def print_results(results, peer):
    print("\nCPU against native, medians of rounds; what is added against what heaptrack adds")
    print_table(["row", "rounds", "native s", "heaptrack target", "heaptrack tree", "by hand", "record target",
                 "record tree", "added: record target", "record tree", "by hand, of the tree", "wall: heaptrack",
                 "by hand", "record"],
                [line_of_cpu(*r) for r in results])
    print("\nBytes an allocation call (ours keeps threads, times and each block's identity, heaptrack's file does "
          "not); MB added to the target; analysis")
    print_table(["row", "calls", "B/call: heaptrack", "by hand", "record", "MB: heaptrack", "by hand", "record",
                 "heaptrack_print: wall s", "summary: wall s", "heaptrack_print: CPU s", "summary: CPU s",
                 "heaptrack_print: MB", "summary: MB"],
                [line_of_size(*r) for r in results])
    for row, _ in results:
        if row.raw:
            print("\n%s: heaptrack's interpreter failed (%s); its stream was compressed as it is." % (
                row.name, row.raw))
    print("\nBounds%s" % ("" if peer else ": skipped where heaptrack is needed, which is not installed"))
    for row, result in results:
        for verdict in result["verdicts"]:
            print("%-16s %s" % (row.name, verdict))


def as_json(results, peer):
    return {
        "machine": {"cpus": os.cpu_count(), "kernel": platform.release(), "libc": " ".join(platform.libc_ver()),
                    "heaptrack": peer.version if peer else None, "time": int(time.time())},
        "rows": {row.name: {
            "rounds": [{mode: vars(taken) for mode, taken in r.items()} for r in result["rounds"]],
            "sizes": result["sizes"], "analysis": [[vars(taken) for taken in pair] for pair in result["costs"]],
            "raw": row.raw,
            "bounds": [{"what": v.what, "got": v.got, "bound": v.bound, "verdict": v.word}
                                       for v in result["verdicts"]]}
                 for row, result in results}}


def tree_place():
    """Where small files are made fast; None: anywhere."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def stop(*_):
    raise bench_run.Stopped


def main():
    known = bench_rows.rows()
    unknown = set(WANTED) - {row.name for row in known}
    if unknown:
        sys.exit("bench: no row %s; there are: %s" % (" ".join(unknown), " ".join(row.name for row in known)))
    results, skipped, failed = [], [], []
    for number_of in signal.SIGINT, signal.SIGTERM:
        signal.signal(number_of, stop)
    with tempfile.TemporaryDirectory(dir=tree_place()) as bench_rows.TREES, \
         tempfile.TemporaryDirectory(dir=os.path.join(bench_run.BUILD, "bench")) as temporary:
        peer = find_heaptrack(temporary)
        for row in known:
            if WANTED and row.name not in WANTED:
                continue
            place, start = os.path.join(temporary, row.name), time.monotonic()
            try:
                result = measure_row(row, place, peer)
                if result:
                    result["verdicts"] = judge(row, result)
                    results.append((row, result))
                else:
                    skipped.append(row.name)
            except Failed as failure:
                failed.append("%s: %s" % (row.name, failure))
            except bench_run.Stopped:
                failed.append("%s: stopped, and what comes after it" % row.name)
                break
            print("%s: %.0f s" % (row.name, time.monotonic() - start), file=sys.stderr, flush=True)
            shutil.rmtree(place)
        print_results(results, peer)
    with open(os.path.join(bench_run.BUILD, "bench.json"), "w") as file:
        json.dump(as_json(results, peer), file, indent=1)
    words = [v.word for _, result in results for v in result["verdicts"]]
    print("\n%d ok, %d SHORT, %d not judged; %d rows skipped (not installed)%s%s%s" % (
        words.count("ok"), words.count("SHORT"), words.count("not judged"), len(skipped) + (0 if peer else 1),
        ": " if skipped or not peer else "", " ".join(skipped), "" if peer else " heaptrack"))
    for text in failed:
        print("FAILED " + text)
    return 1 if failed or "SHORT" in words or not results else 0


if __name__ == "__main__":
    sys.exit(main())
