# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench-rss: what `xalloc rss` costs. The same program of 256 MiB, 1 GiB and 4 GiB by itself and under it, in
turns, which of them first by turns (MIB=N,N ROUNDS=N): the median processor time of each, and of the ratios of the pairs.
The program says itself what it took; of the sampler the result does."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

BUILD = os.environ["BUILD"]
XALLOC = os.path.join(BUILD, "xalloc")
RESIDENT = os.path.join(BUILD, "progs", "resident")


def cpu_of(argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return int(done.stdout)


def main():
    sizes = [int(size) for size in os.environ.get("MIB", "256,1024,4096").split(",")]
    rounds = int(os.environ.get("ROUNDS", "5"))
    print("%8s %12s %12s %8s %12s %9s %10s %9s" % ("MiB", "native", "under it", "ratio", "a core", "interval",
                                                   "breakdowns", "covers"))
    with tempfile.TemporaryDirectory() as directory:
        out = os.path.join(directory, "rss.json")
        for size in sizes:
            program = [RESIDENT, "work", str(size)]
            native, under, runs = [], [], []
            for turn in range(rounds):
                pair = [(native, program), (under, [XALLOC, "rss", "-o", out, *program])]
                for times, argv in pair if turn % 2 else reversed(pair):
                    times.append(cpu_of(argv))
                with open(out) as file:
                    runs.append(json.load(file)["runs"][0])
            share = max(run["sampler"]["share_of_a_core"] for run in runs)
            ratio = statistics.median(b / a for a, b in zip(native, under))
            interval = statistics.median(run["sampler"]["interval_ns"] for run in runs)
            print("%8d %9.1f ms %9.1f ms %8.4f %10.2f %% %6.1f ms %10d %7.1f %%" % (
                size, statistics.median(native) / 1e6, statistics.median(under) / 1e6, ratio, 100 * share, interval / 1e6,
                statistics.median(run["sampler"]["snapshots"] for run in runs),
                100 * min(run["snapshot"]["share_of_peak"] for run in runs)), flush=True)


sys.exit(main())
