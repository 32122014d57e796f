# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of real programs share: the same program natively and recorded, and the reports of all
processes that took part."""
import glob
import os
import shutil

from xtest import (ROOT, check, check_equal, check_sums, check_whole, clean_environment, record, run, skip, summary,
                   temp)

ROOTS = ("main", "_start")


def need(*programs):
    """Absolute paths; skips the test when one is missing."""
    paths = [shutil.which(p) for p in programs]
    for name, path in zip(programs, paths):
        if not path:
            skip("no %s here" % name)
    return paths


def check_traces(pattern, what, at_least=1):
    """Every trace of the pattern: whole, complete, sums equal, rooted at main. Returns exe name -> calls."""
    calls = {}
    traces = sorted(glob.glob(pattern))
    check(len(traces) >= at_least, "%s: %d traces, at least %d expected" % (what, len(traces), at_least))
    for trace in traces:
        result = summary(trace)
        totals = result["totals"]
        exe = os.path.basename(result["process"]["exe"])
        one = "%s: %s" % (what, exe)
        check_whole(trace, one)
        check_equal(result["trace"]["complete"], True, one + ": complete")
        check_equal(result["trace"]["lost_events"], 0, one + ": lost_events")
        check_equal(totals["foreign_frees"], 0, one + ": foreign_frees")
        stacks = check_sums(trace, totals, one)["calls"]
        rooted = sum(n for stack, n in stacks if stack.split(";", 1)[0] in ROOTS)
        if not check(rooted > 0.999 * totals["allocation_calls"] or not stacks, "%s: %d of %d calls have main or "
                     "_start at the root" % (one, rooted, totals["allocation_calls"])):
            others = [(n, stack) for stack, n in stacks if stack.split(";", 1)[0] not in ROOTS]
            for n, stack in sorted(others, reverse=True)[:5]:
                print("   %8d  %s" % (n, stack[:300]))
        check(totals["peak_bytes"] >= totals["leaked_bytes"], one + ": the peak is at least what is left")
        calls[exe] = calls.get(exe, 0) + totals["allocation_calls"]
        print("%s: %d calls, peak %d bytes, %d stacks" % (
            one, totals["allocation_calls"], totals["peak_bytes"], len(stacks)))
    return calls


def same(argv, what, env=None, product=None, at_least=1, **kw):
    """Runs argv twice: standard output, standard error, exit status and the file `product` must be equal.
    Checks all traces of the second run; returns exe name -> calls."""
    env = env or {}

    def content():
        if not product:
            return None
        if not os.path.exists(product):
            return b"(no file)"
        with open(product, "rb") as file:
            data = file.read()
        os.unlink(product)
        return data

    native = run(argv, env=clean_environment(**env), **kw)
    made = content()
    check(native.returncode == 0, "%s, native: exit status %d: %s" % (
        what, native.returncode, native.stderr.decode(errors="replace")[:500]))
    directory = temp("traces." + what.replace(" ", "-").replace("/", "-"))
    os.mkdir(directory)
    recorded = record(argv, os.path.join(directory, "%e.%p.zst"), env=env, **kw)
    check_equal(recorded.returncode, native.returncode, what + ": exit status")
    check(recorded.stdout == native.stdout, "%s: standard output differs: %r, natively %r" % (
        what, recorded.stdout[-300:], native.stdout[-300:]))
    check(recorded.stderr == native.stderr, "%s: standard error differs: %r, natively %r" % (
        what, recorded.stderr[-300:], native.stderr[-300:]))
    check(content() == made, "%s: the file it made differs" % what)
    return check_traces(os.path.join(directory, "*"), what, at_least)


def recorded_programs():
    """(name, its trace) of a small run of each; the trace is gone when the next one is asked for."""
    python, compiler, sqlite, git, perl = need("python3", "g++", "sqlite3", "git", "perl")
    source = temp("small.cc")
    with open(source, "w") as file:
        file.write("template <class T> T twice(T t) { return t + t; }\nint main() { return twice(3); }\n")
    work = [("python3", [python, "-c", "import json; print(json.dumps({'a': [1] * 100}))"], {}),
            ("cc1plus", [compiler, "-c", "-O1", "-o", temp("small.o"), source], {}),
            ("sqlite3", [sqlite, ":memory:", "create table t(a); insert into t values (1); select * from t"], {}),
            ("git", [git, "init", "-q", temp("repository")], {"HOME": temp("")}),
            ("perl", [perl, "-e", "print join(',', map { $_ * 2 } 1 .. 100), qq(\\n)"], {"PERL_HASH_SEED": "0"})]
    if shutil.which("rg"):
        work.append(("rg", [shutil.which("rg"), "-c", "void", os.path.join(ROOT, "preload")], {}))
    else:
        print("no ripgrep here")
    for name, argv, env in work:
        directory = temp("traces." + name)
        shutil.rmtree(directory, ignore_errors=True)
        shutil.rmtree(temp("repository"), ignore_errors=True)
        os.mkdir(directory)
        done = record(argv, os.path.join(directory, "%e.%p.zst"), env=env)
        check_equal(done.returncode, 0, "%s: exit status, %r" % (name, done.stderr[-200:]))
        found = [t for t in glob.glob(os.path.join(directory, "*")) if os.path.basename(t).startswith(name)]
        if check(found, "%s was recorded: %s" % (name, os.listdir(directory))):
            yield name, found[0]
        shutil.rmtree(directory, ignore_errors=True)
