# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces by hand, for tests that need a process that no recorder can produce: docs/trace-format.md.

A trace is made of modules (real ELF files at invented addresses), frames (addresses in them) and one block of
memory for each stack. Everything is in order and complete unless a test asks for something else.
"""
import struct
import subprocess

HEADER = "<8sHHIIIQQII40sIIIIQ9QIIIIIIQQIIII"
assert struct.calcsize(HEADER) == 240
FRAME_HEADER, FRAME_CHUNK, FRAME_WINDOW, FRAME_TOTALS = range(0x184D2A50, 0x184D2A54)
TOTALS_BYTES = 32
KIND_EVENTS, KIND_IDS, KIND_RECORDS, KIND_COLUMNS = 1, 2, 3, 4
RECORD_EXE, RECORD_ARGV, RECORD_MODULE, RECORD_UNLOAD, RECORD_ENVIRONMENT, RECORD_HEAP = 1, 2, 3, 4, 9, 10
TRUNCATED, ELIDED, FIRST_ID = 1, 2, 16
OP_MALLOC, OP_FREE, OP_REALLOC = 1, 3, 4
SURE = 65537  # what words of the header that change are multiples of
CLOCK, FIRST_PAIR, LAST_PAIRS, LAST_INDEX, DEPTH, RULE, HEADER_CHECK = 96, 112, (136, 160), 184, 204, 228, 236
READY, EXACT = 1, 2


def checksum(data):
    check = 0x58414C4C
    for word, in struct.iter_unpack("<I", data):
        check = (check ^ word) * 0x9E3779B1 & 0xFFFFFFFF
        check ^= check >> 15
    return check


def sealed_meta(meta):
    """Metadata with its checksum."""
    return meta[:52] + struct.pack("<I", checksum(meta[:52] + bytes(4) + meta[56:])) + meta[56:]


def sealed_header(head):
    """A header with its checksums."""
    head = bytearray(head)
    latest = struct.unpack_from("<I", head, LAST_INDEX)[0]
    if latest:
        pair = LAST_PAIRS[latest - 1]
        struct.pack_into("<I", head, pair + 20, checksum(head[pair:pair + 20]))
    fixed = head[:CLOCK] + head[CLOCK + 4:LAST_PAIRS[0]] + head[DEPTH:DEPTH + 4] + head[RULE:RULE + 8]
    struct.pack_into("<I", head, HEADER_CHECK, checksum(fixed))
    return bytes(head)


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def zigzag(n):
    return varint((n << 1) ^ (n >> 63) if n >= 0 else ((-n) << 1) - 1)


def record(kind, payload):
    size = -(-(8 + len(payload)) // 64) * 64
    return (struct.pack("<IHH", size, kind, 1) + payload).ljust(size, b"\0")


def text(value):
    return struct.pack("<I", len(value)) + value


class Trace:
    def __init__(self, exe="/x/program", argv=("program",), exit_status=0, **header):
        self.records = record(RECORD_EXE, text(exe.encode(errors="surrogateescape"))) + record(
            RECORD_ARGV, text(b"".join(a.encode(errors="surrogateescape") + b"\0" for a in argv)))
        self.header = dict(pid=100, ppid=99, start_time=1000, boot_id=b"boot", image=0, state=3, exit_kind=1,
                           exit_status=exit_status, depth=1024, stop_reason=0, lost=0, forked=0, begun_ns=5000,
                           session_image=0)
        self.header.update(header)
        self.header.setdefault("session_pid", self.header["pid"])
        self.header.setdefault("session_start_time", self.header["start_time"])
        self.modules = 0
        self.first_id = FIRST_ID
        self.frames = []   # struct xt_id entries, the first has id first_id
        self.ids = {}
        self.events = []   # (op, stack of ids, size, address, old address of a realloc)
        self.next_addr = 0x10000

    def module(self, path, start, size, bias=None, build_id=b"", entry=0, main=False, epoch=0, segments=()):
        """A module at start .. start + size; bias defaults to start. segments: (vaddr, memory, offset, flags).
        Returns its index."""
        raw = path.encode(errors="surrogateescape")
        self.records += record(RECORD_MODULE, struct.pack(
            "<IIQQQQIIII", self.modules, epoch, start, start + size, start if bias is None else bias, entry,
            len(segments), len(build_id), len(raw), int(main)) + b"".join(
                struct.pack("<QQQII", *s, 0) for s in segments) + build_id + raw)
        self.modules += 1
        return self.modules - 1

    def unload(self, index, epoch):
        self.records += record(RECORD_UNLOAD, struct.pack("<II", index, epoch))

    def environment(self, entry):
        self.records += record(RECORD_ENVIRONMENT, text(entry))

    def frame(self, pc, epoch=0, exact=False):
        """The id of a frame; the reserved ids are given as they are."""
        entry = struct.pack("<QII", pc, epoch, READY | (EXACT if exact else 0))
        if entry not in self.ids:
            self.ids[entry] = self.first_id + len(self.frames)
            self.frames.append(entry)
        return self.ids[entry]

    def malloc(self, stack, size):
        """A block from a stack of frame ids, outermost first; returns its address."""
        self.next_addr += 0x100000
        self.events.append((OP_MALLOC, list(stack), size, self.next_addr, None))
        return self.next_addr

    def free(self, addr):
        self.events.append((OP_FREE, None, 0, addr, None))

    def realloc(self, stack, old, size):
        """The block `old` becomes another one, whose address is returned."""
        self.next_addr += 0x100000
        self.events.append((OP_REALLOC, list(stack), size, self.next_addr, old))
        return self.next_addr

    def encode_events(self):
        out, last, depth = b"", 0, 0
        for i, (op, stack, size, addr, old) in enumerate(self.events):
            out += bytes([op | 0x10]) + varint(10 if i else 0)
            if old is not None:
                out += varint(0)  # the call took no time
            if stack is not None:
                out += bytes([min(depth, 15) << 4 | min(len(stack), 15)])
                out += (varint(depth) if depth >= 15 else b"") + (varint(len(stack)) if len(stack) >= 15 else b"")
                out += b"".join(varint(f) for f in stack) + varint(size)
                depth = len(stack)
            for a in (addr,) if old is None else (old, addr):
                out += zigzag((a >> 4) - (last >> 4))
                last = a
        return out

    @staticmethod
    def chunk(kind, data, base=0, events=0, last_stamp=0):
        packed = subprocess.run(["zstd", "-q", "-1", "--check", "-c", "--stream-size=%d" % len(data)], input=data,
                                stdout=subprocess.PIPE, check=True).stdout
        meta = struct.pack("<IIQQQQIIIIII", kind, 0, 0, base, 0, last_stamp, events, 0, 100, 0,
                           len(data), len(packed))
        return struct.pack("<II", FRAME_CHUNK, len(meta)) + sealed_meta(meta) + packed

    def write(self, path):
        h = self.header
        stamps = 10 * max(len(self.events), 1)
        head = struct.pack(HEADER, b"XALLOCTR", 9, 9, 240, h["pid"], h["ppid"], h["start_time"],
                           h["session_start_time"], h["session_pid"], h["session_image"], h["boot_id"], h["image"],
                           h["forked"], SURE, 0, 0, 0, h["begun_ns"], 7, stamps, h["begun_ns"] + stamps, 7, 0, 0, 0, 1, h["state"] * SURE,
                           h["exit_kind"] * SURE, h["exit_status"] * SURE, h["stop_reason"] * SURE, h["depth"],
                           h["lost"] * SURE, 0, 1, 0, 0, 0)
        out = struct.pack("<II", FRAME_HEADER, 4088) + sealed_header(head).ljust(4088, b"\0")
        out += struct.pack("<II", FRAME_WINDOW, 4088 + 131072) + struct.pack("<II", 1, 0).ljust(4088 + 131072, b"\0")
        out += self.chunk(KIND_RECORDS, self.records)
        chunks = 1
        if self.frames:
            out += self.chunk(KIND_IDS, b"".join(self.frames), base=self.first_id, events=len(self.frames))
            chunks += 1
        if self.events:
            out += self.chunk(KIND_EVENTS, self.encode_events(), events=len(self.events),
                              last_stamp=10 * (len(self.events) - 1))
            chunks += 1
        if (h["state"], h["exit_kind"]) == (3, 1):  # a clean end
            out += struct.pack("<IIQQQQ", FRAME_TOTALS, TOTALS_BYTES, chunks, len(self.events),
                               self.first_id + len(self.frames), 0)
        with open(path, "wb") as file:
            file.write(out)
        return path
