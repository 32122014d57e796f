# SPDX-License-Identifier: GPL-3.0-or-later
"""What the two tests of scaling share: a workload of N events and one of 10 N, and what the report costs."""
import os
import subprocess

from xtest import BUILD, REPORT, check, check_equal, clean_environment, fail, record, summary, temp

SCALE = os.path.join(BUILD, "progs", "scale")


def workload(calls, stacks):
    """Records `calls` calls and as many frees from `stacks` stacks; returns the trace."""
    trace = temp("scale.%d.%d.zst" % (calls, stacks))
    done = record([SCALE, str(calls), str(stacks)], trace)
    if done.returncode != 0:
        fail("scale %d %d: exit status %d, %s" % (calls, stacks, done.returncode, done.stderr))
    totals = summary(trace)["totals"]
    check_equal((totals["allocation_calls"], totals["free_calls"], totals["leaked_calls"]), (calls, calls, 0),
                "scale %d %d: calls, frees, left" % (calls, stacks))
    check(totals["peak_blocks"] <= 64, "scale: at most 64 blocks live")
    return trace


def cost(trace):
    """CPU seconds and peak resident bytes of one summary."""
    process = subprocess.Popen([REPORT, "summary", "--json", trace], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, env=clean_environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    check_equal(process.returncode, 0, "summary of %s: exit status" % trace)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def check_memory(stacks, small, large, factor):
    print("%d stacks: %d and %d KiB resident" % (stacks, small >> 10, large >> 10))
    check(large <= small * 1.2 + (1 << 20), "%d stacks: %d times the events need %d KiB instead of %d" % (
        stacks, factor, large >> 10, small >> 10))
