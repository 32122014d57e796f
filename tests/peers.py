# SPDX-License-Identifier: GPL-3.0-or-later
"""What peers.test and peers.long share: one program under xalloc, DHAT, heaptrack and the witness peers/count.c,
in surroundings as equal as can be, and what each counted. Corrections: tests/peers.md.

Figures is (calls, bytes, peak): allocation calls, requested bytes, greatest total of live requested bytes.
"""
import collections
import json
import os
import re
import shutil
import struct
import subprocess

import reader
from xtest import BUILD, LIBRARY, ROOT, check, check_equal, fail, summary, temp

SOURCE = os.path.join(ROOT, "tests", "peers")
CALLS_LEFT, BYTES_LEFT = 16, 1e-4  # what may remain after the corrections: calls, share of the bytes
SPREAD_RUNS = 6
WITNESS = ("calls", "bytes", "zero", "realloc_zero", "memalign", "memalign_bytes", "pvalloc", "pvalloc_bytes")
Figures = collections.namedtuple("Figures", "calls bytes peak")
Witness = collections.namedtuple("Witness", WITNESS)


def find_valgrind():
    """The program behind Debian's script, which adds variables to the environment."""
    for name in ("valgrind.bin", "valgrind"):
        if shutil.which(name):
            return shutil.which(name)
    return None


def find_heaptrack():
    """(preload library, interpreter, heaptrack_print), wherever heaptrack's script says they are."""
    script = shutil.which("heaptrack")
    if not script or not shutil.which("heaptrack_print"):
        return None
    with open(script, errors="replace") as file:
        text = file.read()
    paths = []
    for name, last in (("LIB_REL_PATH", "libheaptrack_preload.so"), ("LIBEXEC_REL_PATH", "heaptrack_interpret")):
        at = re.search(r'^%s="([^"]+)"' % name, text, re.M)
        paths.append(os.path.realpath(os.path.join(os.path.dirname(script), at[1], last)) if at else "")
    return (*paths, shutil.which("heaptrack_print")) if all(map(os.path.exists, paths)) else None


VALGRIND, HEAPTRACK = find_valgrind(), find_heaptrack()


def heaptrack_libraries():
    """What heaptrack's library needs, so brings into the program, beside libc."""
    done = subprocess.run(["ldd", HEAPTRACK[0]], capture_output=True, text=True, check=True)
    return [path for path in re.findall(r"=> (/\S+)", done.stdout) if not os.path.basename(path).startswith("libc.")]


def build(argv):
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail("%s: %s" % (" ".join(argv), done.stderr))


def build_all():
    """Everything of peers/, with warnings as errors, into TMPDIR."""
    strict = ["-O2", "-g", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-fno-builtin"]
    build(["gcc", *strict, "-shared", "-fPIC", os.path.join(SOURCE, "count.c"), "-o", temp("libcount.so")])
    build(["gcc", *strict, "-pthread", os.path.join(SOURCE, "cases.c"), "-o", temp("cases")])
    build(["g++", "-O2", "-g", "-Wall", "-Wextra", "-Werror", os.path.join(SOURCE, "map.cpp"), "-o", temp("map")])


class Surroundings:
    """The environment of one program: the same variables under each profiler, each with values of the same
    length. What one profiler does not set is padded for it."""

    def __init__(self, env):
        self.env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": temp("home"), **env}
        os.makedirs(temp("home"), exist_ok=True)
        self.run = temp("run")
        shutil.rmtree(self.run, ignore_errors=True)
        os.mkdir(self.run)
        with open("/proc/sys/kernel/random/boot_id") as file:
            session = "%s.%d.%s.0" % (file.read().strip(), os.getpid(), open("/proc/self/stat").read().split()[21])
        self.padding = {"GLIBCPP_FORCE_NEW": "1", "GLIBCXX_FORCE_NEW": "1", "XALLOC_SESSION": session,
                        "XALLOC_OUT": self.path("trace.zst")}
        self.preload_bytes = 0
        if VALGRIND:  # of what it sets, nothing can be chosen: the others follow
            out = self.go([VALGRIND, "-q", "--tool=dhat", "--dhat-out-file=/dev/null", shutil.which("env")],
                          self.env)[1]
            found = re.search(rb"^LD_PRELOAD=(.*)$", out, re.M)
            self.preload_bytes = len(found[1]) if found else 0

    def path(self, name):
        return os.path.join(self.run, name)

    def go(self, argv, env, cwd=None, random=False):
        """Status, output and errors of argv, at random addresses or always the same; input and output are files."""
        fixed = [] if random else [shutil.which("setarch"), "-R"]
        with open(self.path("in"), "wb"), open(self.path("in"), "rb") as stdin, \
                open(self.path("out"), "w+b") as out, open(self.path("err"), "w+b") as err:
            done = subprocess.run([*fixed, "env", "-i", *("%s=%s" % v for v in env.items()), *argv], check=False,
                                  stdin=stdin, stdout=out, stderr=err, cwd=cwd or self.run, timeout=600,
                                  env={"PATH": "/usr/bin:/bin"})
            out.seek(0)
            err.seek(0)
            return done.returncode, out.read(), err.read()

    def preload(self, library):
        """The same file under a longer name."""
        directory, name = os.path.split(library)
        missing = self.preload_bytes - len(library)
        return directory + "/" + "./" * (missing // 2) + "/" * (missing % 2) + name


def check_ran(what, expected, got):
    check(got == expected, "%s: exit status %s, output %r, errors %r; natively %s, %r, %r" % (
        what, got[0], got[1][-300:], got[2][-300:], expected[0], expected[1][-300:], expected[2][-300:]))


def witness_counts(around, argv, cwd, native):
    path = around.padding["XALLOC_OUT"]  # no variable of its own, which would be one more
    with open(path, "wb") as file:
        file.write(bytes(8 * len(WITNESS)))
    env = {**around.env, **around.padding, "LD_PRELOAD": around.preload(temp("libcount.so"))}
    check_ran("witness", native, around.go(argv, env, cwd))
    with open(path, "rb") as file:
        counts = Witness(*struct.unpack("<%dQ" % len(WITNESS), file.read()))
    os.unlink(path)
    return counts


def xalloc_counts(around, argv, cwd, native, libraries=(), random=False):
    """Figures and the trace's path; `libraries` are loaded too."""
    env = {**around.env, **around.padding, "LD_PRELOAD": ":".join([around.preload(LIBRARY), *libraries])}
    del env["XALLOC_SESSION"]  # it sets it itself
    check_ran("xalloc", native, around.go(argv, env, cwd, random))
    trace = around.path("trace.zst")
    result = summary(trace)
    check(result["trace"]["complete"] and not result["trace"]["lost_events"], "xalloc: the trace is complete")
    totals = result["totals"]
    return Figures(totals["allocation_calls"], totals["allocated_bytes"], totals["peak_bytes"]), trace


def high_addresses(program):
    """A position-independent program has its heap far above 4 GB; valgrind's is below unless told. It matters to
    who makes numbers of addresses: Python's have 4 bytes for each 30 bits."""
    with open(program, "rb") as file:
        return ["--aspace-minaddr=0x100000000"] if file.read(18)[16:] == b"\3\0" else []


def dhat_counts(around, argv, cwd, native):
    out = around.path("dhat.json")
    status = around.go([VALGRIND, "-q", *high_addresses(argv[0]), "--tool=dhat", "--dhat-out-file=" + out, *argv],
                       {**around.env, **around.padding}, cwd)
    check_ran("DHAT", native, status)
    with open(out) as file:
        points = json.load(file)["pps"]
    return Figures(*(sum(point[key] for point in points) for key in ("tbk", "tb", "gb")))


def heaptrack_counts(around, argv, cwd, native):
    """Figures, and how often each size was asked for: from what its interpreter wrote, which has each event;
    heaptrack_print has to say the same of it."""
    library, interpreter, printer = HEAPTRACK
    raw, data = around.path("heaptrack.raw"), around.path("heaptrack.data")
    fill = "x" * len(":".join([around.preload(LIBRARY), *heaptrack_libraries()]))
    env = {**around.env, **around.padding, "PEERS_FILL": fill,
           "LD_PRELOAD": library, "DUMP_HEAPTRACK_OUTPUT": raw}  # it takes these two out again
    check_ran("heaptrack", native, around.go(argv, env, cwd))
    with open(raw, "rb") as stdin, open(data, "wb") as out:
        check_equal(subprocess.run([interpreter], stdin=stdin, stdout=out, stderr=subprocess.DEVNULL,
                                   check=False).returncode, 0, "heaptrack_interpret")
    sizes, asked, calls, total, live, peak = [], collections.Counter(), 0, 0, 0, 0
    with open(data, "rb") as file:
        for line in file:
            if line.startswith(b"a "):
                sizes.append(int(line.split()[1], 16))
            elif line.startswith(b"+ "):
                size = sizes[int(line.split()[1], 16)]
                calls, total, live = calls + 1, total + size, live + size
                peak = max(peak, live)
                asked[size] += 1
            elif line.startswith(b"- "):
                live -= sizes[int(line.split()[1], 16)]
    check_equal(heaptrack_printed(around, printer, data), (calls, peak), "heaptrack_print")
    return Figures(calls, total, peak), asked


def heaptrack_printed(around, printer, data):
    """(calls, peak) as heaptrack_print says them, by its flame graphs, which do not round."""
    sums = []
    for kind in ("allocations", "peak"):
        out = around.path("flames")
        done = subprocess.run([printer, "--flamegraph-cost-type", kind, "-F", out, "-f", data, "-p", "0", "-a", "0",
                               "-T", "0"], capture_output=True, check=False)
        if done.returncode != 0:
            return None
        with open(out, errors="replace") as file:
            sums.append(sum(int(line.rpartition(" ")[2]) for line in file))
    return tuple(sums)


def replayed(trace, least=0):
    """Figures of a trace by the second reader, where a block has at least `least` bytes, and how often each size
    was asked for."""
    sizes, asked, total, live, peak = {}, collections.Counter(), 0, 0, 0
    for event in reader.Trace(trace).events({}):
        if event.op in (reader.FREE, reader.REALLOC):
            live -= sizes.pop(event.addr if event.op == reader.FREE else event.old, 0)
        if event.op in reader.FUNCTIONS:
            size = max(event.size, least)
            sizes[event.addr] = size
            asked[size] += 1
            total, live = total + size, live + size
            peak = max(peak, live)
    return Figures(sum(asked.values()), total, peak), asked


def by_dhat(figures, witness, trace):
    """What DHAT should say where we say `figures`, and the rules of tests/peers.md that had an effect."""
    if not witness.zero:
        return figures, []
    check_equal(replayed(trace)[0], figures, "tests/reader.py, a program with one thread")
    theirs = replayed(trace, 1)[0]
    check_equal(theirs.bytes, figures.bytes + witness.zero, "blocks of 0 bytes, and those counted")
    return theirs, ["%d of 0 bytes" % witness.zero]


def by_heaptrack(figures, witness, trace, asked, shifting):
    """The same for heaptrack, and our figures with its libraries. `shifting` names sizes of which the program
    asks for more or fewer where addresses differ; `asked` is how often it did."""
    calls, total, peak = figures
    rules = []
    if witness.memalign + witness.pvalloc:
        calls -= witness.memalign + witness.pvalloc
        total -= witness.memalign_bytes + witness.pvalloc_bytes
        rules.append("%d memalign, pvalloc" % (witness.memalign + witness.pvalloc))
    ours = replayed(trace)[1] if shifting else {}
    for size, name in shifting.items():
        more = asked[size] - ours[size]
        if more:
            calls, total, peak = calls + more, total + more * size, peak + more * size
            rules.append("%+d %s of %d" % (more, name, size))
    if witness.realloc_zero:
        rules.append("%d realloc(p, 0), in the peak uncorrected" % witness.realloc_zero)
    return Figures(calls, total, peak), rules


def spread(around, argv, cwd, native):
    """How far the program's own figures lie apart when only its addresses change."""
    runs = [xalloc_counts(around, argv, cwd, native, random=True)[0] for _ in range(SPREAD_RUNS)]
    return Figures(*(max(column) - min(column) for column in zip(*runs)))


def compare(name, argv, env=None, cwd=None, least=1, shifting=None):
    """One program under all of them. Rows (name, who, figures, corrections, what remains) for the table."""
    around = Surroundings(env or {})
    native = around.go(argv, {**around.env, **around.padding, "PEERS_FILL": "x" * around.preload_bytes}, cwd)
    check(native[0] == 0, "%s: natively exit status %d: %s" % (name, native[0], native[2][-500:]))
    witness = witness_counts(around, argv, cwd, native)
    own = spread(around, argv, cwd, native)
    figures, trace = xalloc_counts(around, argv, cwd, native)
    check(figures.calls >= least, "%s: %d calls, at least %d expected" % (name, figures.calls, least))
    rows = [(name, "xalloc", figures, [], None)]
    if any(own):
        rows.append((name, "its own spread", own, [], None))

    def add(peer, theirs, ours, rules):
        left = Figures(*(None if b is None else b - a for a, b in zip(ours, theirs)))
        rows.append((name, peer, theirs, rules, left))
        what = "%s, %s: %s, we say %s, corrected %s" % (name, peer, tuple(theirs), tuple(figures), tuple(ours))
        check(abs(left.calls) <= CALLS_LEFT + own.calls, what + ": calls")
        for key in ("bytes", "peak"):
            if getattr(left, key) is not None:
                check(abs(getattr(left, key)) <= BYTES_LEFT * getattr(ours, key) + getattr(own, key), what + ": " + key)

    add("counted", Figures(witness.calls, witness.bytes, None), figures, [])
    if VALGRIND:
        add("DHAT", dhat_counts(around, argv, cwd, native), *by_dhat(figures, witness, trace))
    if HEAPTRACK:
        theirs, asked = heaptrack_counts(around, argv, cwd, native)
        figures, trace = xalloc_counts(around, argv, cwd, native, heaptrack_libraries())
        rows.append((name, "xalloc, with heaptrack's libraries", figures, [], None))
        add("heaptrack", theirs, *by_heaptrack(figures, witness, trace, asked, shifting or {}))
    return rows


def table(rows):
    """The rows in Markdown."""
    lines = ["| program | by | calls | bytes | peak | corrected for | calls left | bytes left | peak left |",
             "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |"]
    number = lambda n: "" if n is None else "{:,}".format(n)
    for name, peer, figures, rules, left in rows:  # each program begins with xalloc's
        lines.append("| %s |" % " | ".join([name if peer == "xalloc" else "", peer, *map(number, figures), "; ".join(rules),
                                            *map(number, left or (None,) * 3)]))
    return "\n".join(lines)
