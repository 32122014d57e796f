#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nanoseconds of CPU an event for libunwind's unw_backtrace and for the recorder's unwinder, medians of rounds in
which the two programs take turns; instructions of an event by callgrind. Exit status 1: ours takes more than its
share at depth 60."""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROUNDS = int(os.environ.get("ROUNDS") or 7)
BENCH = os.path.join(os.environ["BUILD"], "bench")
PROGRAMS = [("unw_backtrace", os.path.join(BENCH, "unwind-libunwind")), ("ours", os.path.join(BENCH, "unwind-ours"))]
SHAPES = ["leaf unchanged", "8 siblings", "tree recursion"]
DEPTHS = [5, 20, 60, 200]
JUDGED_DEPTH = 60
AT_LEAST = [9, 6, 5]  # times faster
FULL_FRAMES = 200000  # of a measurement
COUNTED = [(0, 5), (0, 20), (0, 60), (0, 200), (1, 20), (2, 20)]


def one_round(program):
    """(shape, depth) -> (ns, frames)"""
    text = subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout
    cells = {}
    for line in text.splitlines():
        shape, depth, ns, frames = line.split()
        cells[int(shape), int(depth)] = float(ns), float(frames)
    return cells


def measure():
    """Prints the table; whether it holds what is promised."""
    rounds = {name: [] for name, _ in PROGRAMS}
    for i in range(ROUNDS):
        for name, program in PROGRAMS if i % 2 == 0 else reversed(PROGRAMS):
            rounds[name].append(one_round(program))
    peer, ours = rounds["unw_backtrace"], rounds["ours"]
    holds = True
    print("%-16s %6s %7s %15s %9s %7s" % ("ns an event", "depth", "frames", "unw_backtrace", "ours", "ratio"))
    for shape, name in enumerate(SHAPES):
        for depth in DEPTHS:
            cell = shape, depth
            frames = ours[0][cell][1]
            if abs(frames - peer[0][cell][1]) > 0.01:
                sys.exit("bench-unwind: %s, depth %d: %.2f frames against %.2f: one of them is wrong" % (
                    name, depth, frames, peer[0][cell][1]))
            ratio = statistics.median(p[cell][0] / max(o[cell][0], 0.1) for p, o in zip(peer, ours))
            verdict = ""
            if depth == JUDGED_DEPTH:
                good = ratio >= AT_LEAST[shape]
                holds &= good
                verdict = "%s: at least %d" % ("ok" if good else "SHORT", AT_LEAST[shape])
            print("%-16s %6d %7.1f %15.1f %9.1f %7.1f  %s" % (
                name, depth, frames, statistics.median(p[cell][0] for p in peer),
                statistics.median(o[cell][0] for o in ours), ratio, verdict))
    return holds


def cpu_seconds(name, variables, depth, events):
    before = os.times()
    subprocess.run([os.path.join(BENCH, name), "0", str(depth), str(events)], check=True, env=dict(os.environ, **variables))
    after = os.times()
    return (after.children_user + after.children_system) - (before.children_user + before.children_system)


def full_walks():
    """Those of stacks that rows cannot walk, and of XALLOC_UNWIND=libunwind."""
    print("\n%-16s %6s %15s %20s" % ("us a full walk", "depth", "ours", "libunwind, remote"))
    for depth in DEPTHS:
        events = FULL_FRAMES // (depth + 10)
        us = []
        for variables in {}, {"UNWINDER_REFERENCE": "1"}:
            took = [cpu_seconds("unwind-full", variables, depth, n) for n in (0, events, 0, events, 0, events)]
            us.append((statistics.median(took[1::2]) - statistics.median(took[::2])) / events * 1e6)
        print("%-16s %6d %15.1f %20.1f" % (SHAPES[0], depth, *us))


def instructions(program, shape, depth, events):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--collect-atstart=no",
                               "--toggle-collect=unwinder_event", "--callgrind-out-file=" + os.path.join(folder, "out"),
                               program, str(shape), str(depth), str(events)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        sys.exit("bench-unwind: valgrind: " + done.stderr)
    return int(collected.group(1))


def count():
    """A difference of two runs, so that the first events, which compute rows, do not count."""
    if not shutil.which("valgrind"):
        print("instructions an event: skipped, there is no valgrind")
        return
    print("\n%-16s %6s %15s %9s" % ("instructions", "depth", "unw_backtrace", "ours"))
    for shape, depth in COUNTED:
        per_event = []
        for _, program in PROGRAMS:
            few, many = (instructions(program, shape, depth, n) for n in (2800, 5600))
            per_event.append((many - few) / 2800)
        print("%-16s %6d %15.1f %9.1f" % (SHAPES[shape], depth, *per_event))


def main():
    holds = measure()
    if not holds:
        print("once more:")
        holds = measure()
    full_walks()
    if "--no-count" not in sys.argv:
        count()
    return 0 if holds else 1


sys.exit(main())
