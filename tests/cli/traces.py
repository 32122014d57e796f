# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that cases of tests/cli name: traces by hand, and what only looks like one. Nothing in them depends on
the time, the machine or the folder that they are in."""
import json
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from trace_writer import ELIDED, TOTALS_BYTES, TRUNCATED, Trace, record  # noqa: E402

BASE, ROOM = 0x400000, 0x10000
ENTRY, TEXT = 0x1000, 0x1000
FUNCTIONS = ("main", "build", "join_path", "_ZN3foo3barEiPKc",
             "_ZNSt6vectorINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS5_EE17_M_realloc_insertI"
             "JS5_EEEvN9__gnu_cxx17__normal_iteratorIPS5_S7_EEDpOT_",
             "_Znwm", "_ZNSt15__new_allocatorIiE8allocateEmPKv", "_ZNSt12_Vector_baseIiSaIiEE11_M_allocateEm")
SEGMENT = (0x1000, 0x1000, 0x1000, 5)  # address, bytes, offset, read and execute


def address(name):
    return TEXT + 0x100 + 0x40 * FUNCTIONS.index(name)


def program():
    """An ELF file of one segment and a symbol table, without build ID: FUNCTIONS, 64 bytes each."""
    names, symbols = b"\0", bytes(24)
    for function in FUNCTIONS:
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, address(function), 64)
        names += function.encode() + b"\0"
    section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
    symbols_at = 0x2000
    names_at = symbols_at + len(symbols)
    section_names_at = names_at + len(names)
    sections_at = section_names_at + len(section_names)
    out = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, ENTRY, 64, sections_at, 0, 64, 56, 1, 64, 5, 4)
    out += struct.pack("<IIQQQQQQ", 1, SEGMENT[3], SEGMENT[2], SEGMENT[0], SEGMENT[0], 0x1000, SEGMENT[1], 0x1000)
    out = out.ljust(TEXT, b"\0").ljust(symbols_at, b"\x90") + symbols + names + section_names + bytes(64)
    for name, kind, flags, addr, at, size, link, info, entry in (
            (1, 1, 6, TEXT, TEXT, 0x1000, 0, 0, 0), (7, 2, 0, 0, symbols_at, len(symbols), 3, 1, 24),
            (15, 3, 0, 0, names_at, len(names), 0, 0, 0), (23, 3, 0, 0, section_names_at, len(section_names), 0, 0, 0)):
        out += struct.pack("<IIQQQQIIQQ", name, kind, flags, addr, at, size, link, info, 8, entry)
    return out


def with_program(path="program", argv=("./program", "-n", "3"), **header):
    trace = Trace(exe="/x/program", argv=argv, **header)
    trace.module(path, BASE, ROOM, entry=ENTRY, main=True, segments=(SEGMENT,))
    return trace


def stack(trace, *names):
    """Frames of FUNCTIONS, outermost first; what is no name is taken as it is."""
    return [trace.frame(BASE + address(n) + 5) if isinstance(n, str) else n for n in names]


def small(**header):
    """Three stacks, one temporary block, one realloc, a block that stays."""
    trace = with_program(**header)
    table = trace.malloc(stack(trace, "main", "build"), 1000)
    for _ in range(3):
        trace.malloc(stack(trace, "main", "build", "join_path"), 96)
    trace.free(trace.malloc(stack(trace, "main", "join_path"), 40))
    table = trace.realloc(stack(trace, "main", "build"), table, 3000)
    trace.free(table)
    return trace


def member(calls, size, **header):
    """A process of the session that process 100 began: calls of so many bytes, kept."""
    trace = with_program(session_pid=100, session_start_time=1000, **header)
    for _ in range(calls):
        trace.malloc(stack(trace, "main", "build"), size)
    return trace


EXEC = dict(state=1, exit_kind=3)
FAMILY = {
    # sh -c: two children, one of which forks, then a program of its own
    "sh.zst": lambda: member(3, 10, argv=("/bin/sh", "-c", "./one; ./two; exec ./three"), **EXEC),
    "sh.exec1.zst": lambda: member(1, 5000, argv=("./three",), image=1, session_image=1, begun_ns=9000),
    "sh.101.zst": lambda: member(50, 20, argv=("./one",), pid=101, ppid=100, start_time=1001, begun_ns=6000),
    "sh.102.zst": lambda: member(2, 30, argv=("./one",), pid=102, ppid=101, start_time=1001, begun_ns=6500, forked=1),
    "sh.103.zst": lambda: member(4, 40, argv=("./two", "\u00e4" * 40), pid=103, ppid=100, start_time=1002,
                                 begun_ns=7000, lost=2, **EXEC),
    # its parent made no call, or its trace is elsewhere
    "sh.105.zst": lambda: member(6, 1, argv=("./deep\x1b",), pid=105, ppid=104, start_time=1003, begun_ns=9500,
                                 session_image=1, state=1, exit_kind=0),
}


def cxx():
    trace = with_program()
    for i, name in enumerate(FUNCTIONS[3:5]):
        trace.malloc(stack(trace, "main", name), 100 + i)
    return trace


def plumbing():
    """The same stack with and without the way to the allocator; one that is nothing else."""
    trace = with_program()
    new, allocator, vector = FUNCTIONS[5:8]
    trace.malloc(stack(trace, "main", "build", vector, allocator, new), 100)
    trace.malloc(stack(trace, "main", "build"), 10)
    trace.malloc(stack(trace, new), 1)
    return trace


def snapshot():
    """Behind two of three calls: of 10,000 bytes two pages and a page of zeros, of 40 a page, one page of none."""
    trace = with_program()
    trace.malloc(stack(trace, "main", "build"), 10000)
    trace.free(trace.malloc(stack(trace, "main", "join_path"), 40))
    maps = b"00100000-00300000 rw-p 00000000 00:00 0                          [heap]\n"
    pages = b"".join(struct.pack("<QII", *run) for run in (
        (0x110000, 2, 2), (0x112000, 1, 2 | 8), (0x210000, 1, 2), (0x2F0000, 1, 2)))
    trace.records += record(14, struct.pack("<IIII", 0, 0, len(maps), 0) + maps)
    trace.records += record(15, struct.pack("<IIII", 0, 0, len(pages), 0) + pages)
    for number, why, how, error, parts in ((0, 1, 1, 0, 1), (1, 3, 3, 13, 0)):
        trace.records += record(13, struct.pack("<IHHQQIIQQII", number, why, how, 1 << 60, 2, 0, error, 5 << 12, 70000,
                                                parts, parts))
    return trace


def roots():
    """Stacks that do not begin at main."""
    trace = with_program()
    trace.malloc(stack(trace, ELIDED, "join_path"), 30)
    trace.malloc(stack(trace, TRUNCATED, "join_path"), 20)
    trace.malloc([trace.frame(0x9000)], 10)
    return trace


def gone():
    trace = with_program("/gone/program")
    trace.malloc(stack(trace, "main", "build"), 10)
    return trace


def future():
    data = bytearray(encode(small()))
    struct.pack_into("<HH", data, 8 + 8, 11, 10)
    return bytes(data)


def past():
    data = bytearray(encode(small()))
    struct.pack_into("<HH", data, 8 + 8, 8, 8)
    return bytes(data)


def damaged():
    """The checksum of the last chunk, which has the events, is wrong."""
    data = bytearray(encode(small()))
    data[-1 - 8 - TOTALS_BYTES] ^= 1
    return bytes(data)


def encode(trace):
    path = os.path.join(os.environ["TMPDIR"], "encoded")
    trace.write(path)
    with open(path, "rb") as file:
        return file.read()


def piped():
    """What `zstd -d` makes of a trace: its frames' content, not the trace."""
    return subprocess.run(["zstd", "-dqc"], input=encode(small()), stdout=subprocess.PIPE, check=True).stdout


def rss(peak=1 << 20, argv=("./program", "-n", "3"), end="exit:0", exit_bytes=None):
    """What xalloc rss would have written of small(): half of it heap; in the breakdown a page less than the peak."""
    kinds = (("heap", "[heap]", peak // 2, peak // 2), ("file", "/x/program", peak // 4, 8192), ("bss", "/x/program", 4096, 4096),
             ("file", "/x/libc.so.6", peak // 8, 4096), ("stack", "[stack]", peak // 8 - 8192, peak // 8 - 8192))
    rows = [dict(kind=k, name=n, mappings=1, rss_bytes=r, anonymous_bytes=a, private_clean_bytes=0) for k, n, r, a in kinds]
    snapshot = dict(exe="/x/program", rss_bytes=peak - 4096, swap_bytes=0, hugetlb_bytes=0, page_table_bytes=40960, rows=rows)
    run = dict(exit=end, peak=dict(rss_bytes=peak, source="statm", error_bytes=0), exit_snapshot=snapshot)
    names = ("kernel", "cpu", "allocator", "libc", "thp", "cgroup_memory_max")
    return json.dumps(dict(schema="xalloc-rss/1", process=dict(path="./program", argv=argv),
                           environment=dict({name: "" for name in names}, variables={}, modules=[]),
                           peak_rss_bytes=dict(minimum=peak, maximum=peak), runs=[run])).encode()


MAKERS = {
    "program": program,
    "rss.json": rss,
    "large-rss.json": lambda: rss(4 << 20),
    "other-rss.json": lambda: rss(argv=("./program", "-n", "4"), end="signal:11"),
    "cut-rss.json": lambda: rss()[:-200],
    "small.zst": small,
    "cxx.zst": cxx,
    "roots.zst": roots,
    "snapshot.zst": snapshot,
    "plumbing.zst": plumbing,
    "gone.zst": gone,
    "none.zst": with_program,
    "forked.zst": lambda: small(forked=1),
    "killed.zst": lambda: small(state=1, exit_kind=0),
    "signal.zst": lambda: small(exit_kind=2, exit_status=11),
    "full.zst": lambda: small(stop_reason=2),
    "limited.zst": lambda: small(stop_reason=1),
    "lost.zst": lambda: small(lost=3),
    "image.zst": lambda: small(state=1, exit_kind=0),
    "image.exec1.zst": lambda: small(image=1),
    "future.zst": future,
    "past.zst": past,
    "damaged.zst": damaged,
    "header.zst": lambda: encode(small(state=1, exit_kind=0))[:4096],
    "half-header.zst": lambda: encode(small())[:1000],
    "cut.zst": lambda: encode(small())[:-8 - TOTALS_BYTES],
    "torn.zst": lambda: encode(small())[:-8 - TOTALS_BYTES - 20],
    "two.zst": lambda: encode(small()) + encode(small()),
    "cut-two.zst": lambda: encode(small())[:-8 - TOTALS_BYTES - 20] + encode(cxx()),
    "unpacked.zst": piped,
    "text.txt": lambda: b"Dear reader, this is no trace.\n" * 200,
    "empty.zst": lambda: b"",
    **FAMILY,
}


_made = {}


def make(name):
    """The content of a file of MAKERS."""
    if name not in _made:
        made = MAKERS[name]()
        _made[name] = encode(made) if isinstance(made, Trace) else made
    return _made[name]
