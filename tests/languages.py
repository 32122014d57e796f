# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests/languages-* share: programs in other languages, under LD_PRELOAD and xalloc record: the same output and
exit status as without us, whole traces, and what C code of theirs allocates to the call."""
import glob
import os
import shutil
import sys
import sysconfig

from xtest import (BUILD, REPORT, ROOT, check, check_equal, check_whole, clean_environment, fail, finish, folded, record, run,
                   skip, summary, temp)

SOURCE = os.path.join(ROOT, "tests", "languages")
XALLOC = os.path.join(BUILD, "xalloc")
JEMALLOC = glob.glob("/usr/lib/x86_64-linux-gnu/libjemalloc.so.2") + glob.glob("/usr/lib64/libjemalloc.so.2")


def source(name):
    return os.path.join(SOURCE, name)


def built(output, argv, **kw):
    done = run(argv, timeout=300, **kw)
    check_equal(done.returncode, 0, "build %s: %s" % (output, done.stderr.decode()))
    return done.returncode == 0


def check_end(name, argv, expected, seen, env):
    """Both ways. seen: function -> calls below it, of the program's own trace, the largest. Yields its warnings."""
    env = env or {}
    native = run(argv, env=clean_environment(**env))
    check_equal((native.returncode, native.stdout != b""), (5, True), "%s, natively: %r" % (name, native.stderr[-500:]))
    for way in ("LD_PRELOAD", "xalloc record"):
        what = "%s, %s" % (name, way)
        directory = temp("%s.%s" % (name, way.split()[0]))
        os.mkdir(directory)
        out = os.path.join(directory, "%e.%p.zst")
        if way == "LD_PRELOAD":
            done = record(argv, out, env=env)
        else:
            done = run([XALLOC, "record", "-o", out, "--", *argv], env=clean_environment(**env))
        check_equal((done.returncode, done.stdout, done.stderr), (native.returncode, native.stdout, native.stderr), what)
        whole = None
        for trace in glob.glob(os.path.join(directory, "*")):
            check_whole(trace, what)
            verified = run([REPORT, "verify", trace])
            check_equal(verified.returncode, 0, "%s: verify %s: %s" % (what, trace, verified.stdout.decode()[-700:]))
            result = summary(trace)
            check_equal((result["trace"]["complete"], result["trace"]["lost_events"]), (True, 0), "%s: %s" % (what, trace))
            calls, exe = result["totals"]["allocation_calls"], os.path.basename(result["process"]["exe"])
            if exe != "echo" and (not whole or calls > whole[0]["totals"]["allocation_calls"]):
                whole = result, trace
        if not check(whole, what + ": no trace of the program: %r" % os.listdir(directory)):
            continue
        result, trace = whole
        # Go ends a process past libc: only its parent knows how
        check_equal(result["process"]["exit"], "killed" if (name, way) == ("go", "LD_PRELOAD") else "exit:5", what + ": end")
        stacks = folded(trace, "calls")
        print("%s: %d calls, peak %d bytes, %d threads" % (what, result["totals"]["allocation_calls"],
                                                           result["totals"]["peak_bytes"], result["totals"]["threads"]))
        check(result["totals"]["allocation_calls"] >= expected, "%s: %d calls, at least %d expected" % (
            what, result["totals"]["allocation_calls"], expected))
        for function, calls in seen.items():
            got = sum(n for s, n in stacks if any(f == function or f.endswith("::" + function) for f in s.split(";")))
            check_equal(got, calls, "%s: calls of %s" % (what, function))
        yield result["trace"]["warnings"]


def said(warnings, text):
    return any(text in line for line in warnings)


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            skip("no %s here" % tool)


# Each: name, what runs it, least number of calls, calls of functions, environment, what is said.
def ruby():
    need("ruby")
    yield "ruby", ["ruby", source("words.rb")], 10000, {}, None, None


def node():
    need("node")
    yield "node", ["node", source("words.js")], 10000, {}, None, None


def java():
    need("java", "javac")
    if built("java", ["javac", "-d", temp(""), source("Words.java")]):
        yield "java", ["java", "-Xmx64m", "-XX:-UsePerfData", "-cp", temp(""), "Words"], 1000, {}, None, None


def go():
    need("go")
    env = {"GOCACHE": temp("go-cache"), "GOPATH": temp("go"), "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", "CGO_ENABLED": "1"}
    if built("go", ["go", "build", "-o", temp("words-go"), source("words.go")], env=clean_environment(**env)):
        yield ("go", [temp("words-go")], 3300, {"twice": 1600, "call_back": 100}, None,
               "1 of 2 allocators visible: %s has a malloc of its own that nobody else can call (runtime.mallocgc)" % temp("words-go"))


def rust():
    need("rustc")
    seen = {"make_boxes": 1000, "wide_boxes": 100}
    if built("rust", ["rustc", "-O", "-g", "-o", temp("words-rust"), source("words.rs")]):
        yield "rust", [temp("words-rust")], 20000, seen, None, None


def rust_jemalloc():
    need("rustc")
    if not JEMALLOC:
        skip("no libjemalloc here")
    if built("rust with jemalloc", ["rustc", "-O", "-g", "--cfg", "jemalloc", "-o", temp("words-jemalloc"),
                                    source("words.rs"), "-C", "link-arg=" + JEMALLOC[0]]):
        yield ("rust with jemalloc", [temp("words-jemalloc")], 1, {"make_boxes": 0}, None,
               "%s calls mallocx and its like, which are not recorded" % temp("words-jemalloc"))


def python():
    include = sysconfig.get_paths()["include"]
    if not os.path.exists(os.path.join(include, "Python.h")):
        skip("no Python.h here")
    if built("python", ["gcc", "-O1", "-g", "-fno-builtin", "-shared", "-fPIC", "-I" + include, source("extension.c"), "-o",
                        temp("extension.so")]):
        yield ("python", [sys.executable, source("words.py")], 3000, {"raw_calls": 2001}, {"PYTHONPATH": temp(""),
               "PYTHONDONTWRITEBYTECODE": "1"}, None)


def perl():
    need("perl")
    yield ("perl", ["perl", "-MPOSIX", "-MList::Util=sum", "-MData::Dumper", "-e",
                    "$Data::Dumper::Sortkeys = 1; my %h; $h{$_ * 7919 % 1009}++ for 1 .. 5000; print sum(values %h), Dumper([ "
                    "map { $h{$_} } 1 .. 5 ]); my $p = fork // die; if (!$p) { print \"child\\n\"; exit 3 } waitpid $p, 0; "
                    "print $? >> 8, POSIX::strftime('%Y', gmtime 0), `echo a child`; warn \"to standard error\\n\"; exit 5"],
           3000, {}, None, None)


def check_languages(*languages):
    if not os.path.exists(XALLOC):
        fail("no " + XALLOC)
    for name, argv, expected, seen, env, text in [case for language in languages for case in language()]:
        for warnings in check_end(name, argv, expected, seen, env):
            if text:
                check(said(warnings, text), "%s: %r does not say: %s" % (name, warnings, text))
            else:
                check(not said(warnings, "visible") and not said(warnings, "not recorded"), "%s: %r" % (name, warnings))
    finish()
