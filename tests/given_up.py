# SPDX-License-Identifier: GPL-3.0-or-later
"""For the tests of what a program takes from itself (tests/progs/gives_up.c): the same run natively, by hand and
under xalloc record, each in a place of its own."""
import glob
import os
import re

from xtest import (BUILD, REPORT, check, check_equal, check_whole, clean_environment, folded, report, run, summary, temp)

PROGRAM = os.path.join(BUILD, "progs", "gives_up")
WAYS = ("native", "by hand", "record")


def work_calls(trace):
    """Calls of `work`: libc's own are elsewhere."""
    return sum(n for stack, n in folded(trace, "calls") if stack.endswith(";work"))


def place(name, way):
    path = temp("%s-%s" % (name.replace(" ", "-"), way.replace(" ", "-")))
    os.mkdir(path)
    os.mkdir(os.path.join(path, "own"))
    return path


def start(way, steps, where, out="t.zst", env=None, prefix=(), small_steps=False, slow_helper=False, **kw):
    """The program, in its own folder; `@` in a step is that folder. The trace is in the one above, or where
    `out` says. With small_steps it grows by 2 MiB, not by 64; a slow_helper takes ten times as long."""
    build = os.path.join(BUILD, *(("fault", "15") if small_steps else ("fault", "14") if slow_helper else ()))
    own = os.path.join(where, "own")
    argv = [PROGRAM, *(step.replace("@", own) for step in steps)]
    out = os.path.join(where, out)
    env = {"XALLOC_RESERVE": 64 << 20, **(env or {})}  # zstd -t reads holes, too
    if way == "record":
        argv = [os.path.join(build, "xalloc"), "record", "-o", out, *argv]
    elif way == "by hand":
        argv = ["env", "LD_PRELOAD=" + os.path.join(build, "libxalloc.so"), "XALLOC_OUT=" + out, *argv]
    return run([*prefix, *argv], env=clean_environment(**env), cwd=own, **kw)


def files(where):
    """What the program left in its folder."""
    own = os.path.join(where, "own")
    found = {}
    for name in sorted(os.listdir(own)):
        path = os.path.join(own, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[name] = file.read()
    return found


def check_trace(trace, calls, end, what, with_zstd=True):
    """Complete, exact and whole. Returns the summary."""
    if not check(os.path.exists(trace), what + ": there is a trace: %s" % os.listdir(os.path.dirname(trace))):
        return None
    result = summary(trace)
    check_equal(work_calls(trace), calls, what + ": calls")
    check_equal((result["trace"]["complete"], result["trace"]["lost_events"], result["trace"]["warnings"]),
                (True, 0, []), what + ": complete")
    check_equal(result["process"]["exit"], end, what + ": end")
    check_equal(os.stat(trace).st_mode & 0o7777, 0o600, what + ": mode of the trace")
    if with_zstd:  # it reads holes
        check_whole(trace, what)
    report("verify", trace)
    return result


def check_stopped(done, trace, calls, why, what):
    """After work=CALLS: the program ended well, and what its trace has and what it says is lost are all of it."""
    events = calls + calls - calls // 16
    check_equal(done.returncode, 0, "%s: exit status: %r" % (what, done.stderr))
    line = b"xalloc: %s: recording stops \\(.*\\)\n" % why.encode()
    check(re.fullmatch(line, done.stderr), "%s: said %r" % (what, done.stderr))
    result = summary(trace)
    seen = result["totals"]["allocation_calls"] + result["totals"]["free_calls"]
    lost = result["trace"]["lost_events"]
    check(lost > 0 and 0 <= seen + lost - events <= 40,
          "%s: %d events and %d lost ones of %d" % (what, seen, lost, events))
    check_equal(result["trace"]["complete"], False, what + ": complete")
    check(any(why in line for line in result["trace"]["warnings"]) and
          any("missing from the trace" in line for line in result["trace"]["warnings"]),
          "%s: warnings: %s" % (what, result["trace"]["warnings"]))
    text = report(trace)
    check(why in text and "missing from the trace" in text, what + ": the text says so")
    check_whole(trace, what)
    done = run([REPORT, "verify", trace])
    check(done.returncode == 1 and re.search(rb"recording stopped before the process ended", done.stdout),
          "%s: verify: %s" % (what, done.stdout.decode()))


def check_undisturbed(name, steps, calls, status=0, traces=("t.zst",), ways=WAYS, **kw):
    """The program says, writes and returns the same in all ways; each recorded one has the traces, the first of
    which (a pattern) has the calls. Returns {way: the first trace's summary}."""
    seen, results = {}, {}
    for way in ways:
        where = place(name, way)
        done = start(way, steps, where, **kw)
        seen[way] = (done.returncode, done.stdout, done.stderr, files(where))
        if way == "native":
            check_equal(done.returncode, status, name + ": exit status, native: %r" % done.stderr)
            continue
        check_equal(seen[way], seen["native"], "%s, %s: what it says and leaves behind" % (name, way))
        found = sorted(glob.glob(os.path.join(where, traces[0])))
        if check_equal(len(found), 1, "%s, %s: traces: %s" % (name, way, os.listdir(where))):
            results[way] = check_trace(found[0], calls, "exit:%d" % status, "%s, %s" % (name, way),
                                       with_zstd=way == ways[-1])
        check_equal(len(glob.glob(os.path.join(where, "*.zst"))), len(traces), "%s, %s: number of traces" % (name, way))
    return results
