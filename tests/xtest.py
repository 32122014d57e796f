# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Python tests share: recording, reading reports, collecting failures.

A test calls check() for each promise and finish() at its end, so one run shows all that is wrong.
Paths: BUILD (the build folder) and TMPDIR (private, removed by the runner) come from the environment.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
TMP = os.environ.get("TMPDIR") or tempfile.mkdtemp(prefix="xalloc-test.")
LIBRARY = os.path.join(BUILD, "libxalloc.so")
REPORT = os.path.join(BUILD, "xalloc-report")
METRICS = {
    "peak": "peak_bytes",
    "calls": "allocation_calls",
    "bytes": "allocated_bytes",
    "leaked": "leaked_bytes",
    "temporary": "temporary_calls",
}

_failures = 0
_checks = 0


def check(holds, what):
    """Notes a failure and goes on."""
    global _failures, _checks
    _checks += 1
    if not holds:
        _failures += 1
        print("FAIL:", what)
    return bool(holds)


def check_equal(got, expected, what):
    return check(got == expected, "%s: got %r, expected %r" % (what, got, expected))


def fail(what):
    """Ends the test at once."""
    check(False, what)
    finish()


def skip(reason):
    print(reason)
    sys.exit(77)


def finish():
    if _failures == 0 and _checks == 0:
        print("FAIL: nothing was checked")
        sys.exit(1)
    sys.exit(1 if _failures else 0)


def temp(name):
    return os.path.join(TMP, name)


def clean_environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("XALLOC_") and k != "LD_PRELOAD"}
    env.update({k: str(v) for k, v in more.items()})
    return env


def run(argv, timeout=100, **kw):
    """Runs argv to its end, output captured as bytes, no standard input."""
    kw.setdefault("env", clean_environment())
    kw.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **kw)


def record(argv, out, timeout=100, env=None, **kw):
    """Runs argv under the recorder, writing the trace `out`; env: further variables."""
    if not os.path.exists(LIBRARY):
        fail("no " + LIBRARY)
    env = clean_environment(**dict({"LD_PRELOAD": LIBRARY, "XALLOC_OUT": out}, **(env or {})))
    return run(argv, timeout=timeout, env=env, **kw)


def report(*args, timeout=100):
    """xalloc-report's standard output as text; a failure when it does not exit with 0."""
    done = run([REPORT, *args], timeout=timeout)
    check(done.returncode == 0, "xalloc-report %s: exit status %d: %s" % (
        " ".join(args), done.returncode, done.stderr.decode(errors="replace").strip()))
    return done.stdout.decode(errors="surrogateescape")


def summary(trace):
    text = report("summary", "--json", trace)
    try:
        return json.loads(text)
    except ValueError as error:
        fail("summary --json %s is not JSON: %s" % (trace, error))


def folded(trace, metric):
    """The lines of folded output as a list of (stack, weight)."""
    lines = []
    for line in report("folded", "--metric", metric, trace).splitlines():
        stack, _, weight = line.rpartition(" ")
        if not stack or not weight.isdigit():
            fail("folded --metric %s %s: no weight in the line %r" % (metric, trace, line))
        lines.append((stack, int(weight)))
    return lines


def check_whole(trace, what):
    """The trace is a valid .zst."""
    done = run(["zstd", "-tq", trace])
    check(done.returncode == 0, "%s: zstd -t: %s" % (what, done.stderr.decode(errors="replace").strip()))


def check_sums(trace, totals, what):
    """The weights of each metric sum to its headline, and no stack stands in two lines. Returns the lines of
    each metric."""
    tables = {}
    for metric, key in METRICS.items():
        lines = tables[metric] = folded(trace, metric)
        check_equal(sum(weight for _, weight in lines), totals[key], "%s: sum of folded %s" % (what, metric))
        check_equal(len({stack for stack, _ in lines}), len(lines), "%s: distinct folded %s" % (what, metric))
    return tables


class Frame:
    """One zstd frame of a trace, skippable or not: docs/trace-format.md."""

    def __init__(self, offset, magic, payload, zeros=False):
        self.offset, self.magic, self.payload, self.zeros = offset, magic, payload, zeros


FRAME_HEADER, FRAME_CHUNK, FRAME_WINDOW, FRAME_TOTALS = range(0x184D2A50, 0x184D2A54)
CHUNK_META = "<IIQQQQIIIIII"  # struct xt_meta


def frames(path):
    """The skippable frames of a trace in file order; a chunk's payload is its metadata. Yields a frame with
    magic 0 for an end of zeros, and fails the test on anything else that is no frame."""
    with open(path, "rb") as file:
        end = os.fstat(file.fileno()).st_size
        offset = 0
        while offset < end:
            file.seek(offset)
            head = file.read(8)
            magic, size = struct.unpack("<II", head.ljust(8, b"\0"))
            if magic == 0:
                file.seek(offset)
                yield Frame(offset, 0, b"", not file.read().strip(b"\0"))
                return
            if not 0x184D2A50 <= magic <= 0x184D2A5F or offset + 8 + size > end:
                fail("%s: no frame at offset %d: %08x" % (path, offset, magic))
            payload = file.read(min(size, 4096))
            yield Frame(offset, magic, payload)
            offset += 8 + size
            if magic == FRAME_CHUNK and size == struct.calcsize(CHUNK_META):
                offset += struct.unpack(CHUNK_META, payload)[11]
