# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces by hand with several streams, at addresses and stamps that the test chooses (trace_writer.py has one stream
and chooses them itself)."""
import struct

from trace_writer import FRAME_CHUNK, KIND_EVENTS, TOTALS_BYTES, Trace, sealed_header, sealed_meta, varint, zigzag
from xtest import CHUNK_META, FRAME_TOTALS, frames

OP_MALLOC, OP_FREE, OP_REALLOC, OP_EXT = 1, 3, 4, 15
STAMPED = 0x10
EXT_USABLE = 6
THREADS, USABLE_RULE = 8 + 224, 8 + 228  # in the file, of struct xt_header
USABLE_GLIBC = 1


class Stream:
    """One chunk of one thread."""

    def __init__(self, frame):
        self.frame, self.data, self.events = frame, b"", 0
        self.stamp = self.addr = self.depth = 0

    def event(self, op, stamp, sizes=b"", end=None, addresses=()):
        self.data += bytes([op | STAMPED]) + varint(stamp - self.stamp)
        self.stamp = stamp
        if end is not None:
            self.data += varint(end - stamp)
            self.stamp = end
        if op != OP_FREE:
            self.data += bytes([self.depth << 4 | 1]) + varint(self.frame)
            self.depth = 1
        self.data += sizes
        for addr in addresses:
            self.data += zigzag((addr >> 4) - (self.addr >> 4))
            self.addr = addr
        self.events += 1
        return self

    def malloc(self, stamp, addr, size, usable=None):
        if usable is not None:
            self.data += bytes([OP_EXT, EXT_USABLE, len(varint(usable))]) + varint(usable)
        return self.event(OP_MALLOC, stamp, varint(size), addresses=(addr,))

    def free(self, stamp, addr):
        return self.event(OP_FREE, stamp, addresses=(addr,))

    def realloc(self, stamp, end, old, addr, size):
        return self.event(OP_REALLOC, stamp, varint(size), end, (old, addr))


class StreamTrace(Trace):
    """Stream and thread numbers are those of the list `streams`."""

    def __init__(self, usable_rule=0, **more):
        super().__init__(**more)
        self.module("/gone/program", 0x1000, 0x1000, main=True)
        self.usable_rule, self.streams = usable_rule, []

    def stream(self):
        self.streams.append(Stream(self.frame(0x1101 + len(self.streams))))
        return self.streams[-1]

    def write(self, path):
        super().write(path)
        with open(path, "rb") as file:
            whole = file.read()
        end = next((f.offset for f in frames(path) if f.magic == FRAME_TOTALS), len(whole))
        out = whole[:THREADS] + struct.pack("<II", len(self.streams), self.usable_rule) + whole[USABLE_RULE + 4:end]
        out = out[:8] + sealed_header(out[8:4096]) + out[4096:]
        for number, stream in enumerate(s for s in self.streams if s.events):
            chunk = self.chunk(KIND_EVENTS, stream.data, events=stream.events, last_stamp=stream.stamp)
            meta = list(struct.unpack(CHUNK_META, chunk[8:72]))
            meta[1], meta[7], meta[8] = number, number, 100 + number
            out += struct.pack("<II", FRAME_CHUNK, 64) + sealed_meta(struct.pack(CHUNK_META, *meta)) + chunk[72:]
        if whole[end:]:
            totals = struct.unpack("<QQQQ", whole[end + 8:end + 40])
            chunks = totals[0] + sum(bool(s.events) for s in self.streams)
            out += struct.pack("<IIQQQQ", FRAME_TOTALS, TOTALS_BYTES, chunks, sum(s.events for s in self.streams),
                               *totals[2:])
        with open(path, "wb") as file:
            file.write(out)
        return path
