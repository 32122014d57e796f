#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/reader.py TRACE: a second reader of traces, which prints the figures as one JSON object.

Written from docs/trace-format.md, preload/trace/format.h and the definitions of what counts alone, by somebody
who had not seen the analyzer: where both agree, the document says enough. It is slow and keeps all events in memory.
"""
import collections
import json
import re
import struct
import subprocess
import sys

HEADER, CHUNK, WINDOW, TOTALS = range(0x184D2A50, 0x184D2A54)
SKIPPABLE, ZSTD = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18"), struct.pack("<I", 0xFD2FB528)
PAGE, SLOT, META, STACK_MAX, EVENTS, IDS, RECORDS = 4096, 65536, 64, 12289, 1, 2, 3
FREE, REALLOC, ALIGNED, FAILED, EXT = 3, 4, 6, 8, 15
BEGIN = 16  # ours: a realloc's first stamp, from which its old address may be handed out
FUNCTIONS = {1: "malloc", 2: "calloc", 4: "realloc", 5: "realloc", 6: "aligned", 7: "new"}
# A Chunk's data is None where it is not whole; an Event's addr is the old address in BEGIN, which has its REALLOC
Chunk = collections.namedtuple("Chunk", "offset in_slot kind stream seq base first_stamp thread events data")
Event = collections.namedtuple("Event", "stamp stream number op thread addr size node old realloc")


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        head = struct.unpack_from("<II8sHH", self.bytes) if len(self.bytes) >= PAGE else (0,)
        if head[0] != HEADER or head[2] != b"XALLOCTR" or head[4] > 1:
            sys.exit("%s: no trace that this reader knows" % path)
        self.depth, self.lost = struct.unpack_from("<IQ", self.bytes, 8 + 204)
        self.damage, self.chunks, self.counted = [], [], 0
        self.walk()
        self.chunks.sort(key=lambda chunk: (chunk.data is None, chunk.in_slot))  # of equal ones the first is taken

    def head(self, at):
        """Magic and payload size of the skippable frame at `at`; 0 when none is there that fits the file."""
        magic, size = struct.unpack("<II", self.bytes[at:at + 8].ljust(8, b"\0"))
        return (magic, size) if HEADER <= magic <= HEADER + 15 and at + 8 + size <= len(self.bytes) else (0, 0)

    def walk(self):
        at = 0
        while at < len(self.bytes):
            magic, size = self.head(at)
            behind = at + 8 + size
            if magic == HEADER and at and self.bytes[at + 8:at + 16] == b"XALLOCTR":
                self.damage.append((at, "another trace"))
                return
            if magic == CHUNK and size == META:
                meta = struct.unpack_from("<IIQQQQIIIIII", self.bytes, at + 8)
                body, behind = behind, behind + meta[11]
                possible = EVENTS <= meta[0] <= RECORDS and meta[10] <= SLOT and behind <= len(self.bytes)
                data = inflate(self.bytes[body:behind], meta[10]) if possible else None
                if possible:
                    self.chunks.append(Chunk(at, False, *meta[:5], meta[7], meta[6], data))
                if data is None:
                    self.damage.append((at, "chunk does not hold"))
                if not possible or not self.head(behind)[0] and self.bytes[behind:].strip(b"\0"):
                    self.damage.append((behind, "no frame"))
                    behind = self.search(body)
            elif magic == WINDOW:
                self.window(at, size)
            elif magic == TOTALS:
                self.counted = struct.unpack_from("<QQ", self.bytes, at + 8)[1]
            elif not magic:
                if not re.compile(rb"[^\0]").search(self.bytes, at):
                    return
                self.damage.append((at, "no frame"))
                behind = self.search(at + 1)
            at = behind

    def search(self, at):
        """The next place that looks like a frame."""
        places = (found.start() for found in SKIPPABLE.finditer(self.bytes, at))
        return next((place for place in places if self.head(place)[0]), len(self.bytes))

    def window(self, at, size):
        count = struct.unpack_from("<I", self.bytes, at + 8)[0] if size >= PAGE - 8 else 1
        if PAGE - 8 + count * SLOT > size:
            self.damage.append((at, "impossible live window"))
            return
        for i in range(count):
            *fields, _, used, events = struct.unpack_from("<IIQQQIIII", self.bytes, at + 16 + i * 64)
            begin, used = at + PAGE + i * SLOT, SLOT if fields[0] == IDS else used
            if EVENTS <= fields[0] <= RECORDS and used <= SLOT:
                self.chunks += [Chunk(begin, True, *fields, events, self.bytes[begin:begin + used])] if used else []
            elif fields[0] not in (0, 0x80):
                self.damage.append((begin, "impossible slot"))

    def events(self, tree):
        """All events by stamp, within a stream in its order."""
        events, streams, missing, committed = [], collections.defaultdict(dict), 0, 0
        for chunk in self.chunks:
            if chunk.kind == EVENTS:
                streams[chunk.stream].setdefault(chunk.seq, chunk)
        for stream in sorted(streams):
            end = following = 0
            for seq, chunk in sorted(streams[stream].items()):
                whole, bad = decode(chunk, events, tree) if chunk.data is not None else (0, True)
                if bad or whole != chunk.events or seq != following or chunk.base != end:
                    self.damage.append((chunk.offset, "%d events, gap of %d" % (whole, chunk.base - end)))
                missing += (max(chunk.base - end, 0) if seq != following else 0) + max(chunk.events - whole, 0)
                committed += 0 if chunk.in_slot else whole
                following, end = seq + 1, chunk.base + chunk.events
        self.lost += max(missing, self.counted - committed)
        return sorted(events)


def inflate(frame, size):
    done = subprocess.run(["zstd", "-dcq"], input=frame, capture_output=True, check=False)
    return done.stdout if frame.startswith(ZSTD) and done.returncode == 0 and len(done.stdout) == size else None


def decode(chunk, out, tree):
    """Appends the events up to damage, returns how many. tree: (node, frame id) -> node of a stack, 0 the empty one."""
    data, at, count = chunk.data, 0, 0
    stamp, stream, thread, stack = chunk.first_stamp, chunk.stream, chunk.thread, [0]
    last = size = low = low_old = 0

    def varint():
        nonlocal at
        value = 0
        for shift in range(0, 64, 7):
            at += 1
            value |= (data[at - 1] & 0x7F) << shift
            if data[at - 1] < 0x80:
                return value
        raise IndexError

    def address(bits):
        nonlocal last
        step = varint()
        last = ((last >> 4) + (step >> 1 ^ -(step & 1))) << 4 & (1 << 64) - 1 | bits
        return last

    try:
        while at < len(data):
            head, op, at = data[at], data[at] & 15, at + 1
            if op == EXT:
                subtype, at = data[at], at + 1
                length = varint()
                end = at + length
                if subtype == 1:
                    thread = varint()
                if subtype in (1, 2):
                    stack, last, size = [0], 0, 0
                elif subtype == 3:
                    low, low_old = data[at], data[at + 1]
                elif subtype == 5:
                    stamp += varint()
                at = end
                continue
            if head & 0x80 or not 1 <= op <= FAILED:
                raise IndexError
            at += op in (ALIGNED, FAILED)
            begin = stamp = stamp + (varint() if head & 0x10 else 0)
            stamp += varint() if head & 0x10 and op == REALLOC else 0
            if op != FREE and not head & 0x20:
                pops, pushes, at = data[at] >> 4, data[at] & 15, at + 1
                pops = varint() if pops == 15 else pops
                pushes = varint() if pushes == 15 else pushes
                if pops >= len(stack) or len(stack) - pops + pushes > STACK_MAX + 1:
                    raise IndexError
                del stack[len(stack) - pops:]
                for _ in range(pushes):
                    stack.append(tree.setdefault((stack[-1], varint()), len(tree) + 1))
            size = varint() if op != FREE and not head & 0x40 else size
            old = address(low_old) if op == REALLOC else 0
            addr = address(low) if op != FAILED else None
            low = low_old = 0
            count += 1
            event = Event(stamp, stream, len(out) + 1, op, thread, addr, size, stack[-1], old, None)
            out += [Event(begin, stream, len(out), BEGIN, thread, old, 0, 0, 0, event)] if op == REALLOC else []
            out.append(event)
    except IndexError:
        return count, True
    return count, False


class Replay:
    def __init__(self, events):
        self.events, self.done = events, bytearray(len(events))
        self.live, self.pending = {}, {}  # address -> (bytes, node, thread, number of its call); old address -> realloc
        self.calls, self.moving = collections.Counter(), set()  # allocation calls of threads; reallocs begun to end
        self.steps = []  # (node, bytes, blocks), one for each block that came or went
        self.bytes = self.peak = self.peak_at = self.temporary = self.foreign = self.unseen = 0
        for at in range(len(events)):
            self.emit(at, at, frozenset())

    def emit(self, at, first, waiting):
        """What contradicts the live blocks lets those events of its stamp go first after which it no longer does."""
        event = self.events[at]
        found = None if self.done[at] else self.match(event, first)
        if found is not None and self.events[found].stream not in waiting:
            for before in range(first, found + 1):
                if self.events[before].stream == self.events[found].stream:
                    self.emit(before, first, waiting | {event.stream})
        if not self.done[at]:
            self.done[at] = 1
            self.apply(event)

    def match(self, event, at):
        """Where another stream's event of the same stamp gives, or takes, the address that this one needs."""
        takes = event.op in (FREE, BEGIN)
        if takes == (event.addr in self.live) or not takes and event.addr in self.pending:
            return None
        while at < len(self.events) and self.events[at].stamp == event.stamp:
            other = self.events[at]
            if other.addr == event.addr and other.stream != event.stream and not self.done[at]:
                if takes != (other.op in (FREE, BEGIN)):
                    return at
            at += 1
        return None

    def apply(self, event):
        if event.op == FREE:
            self.went(event.addr, event.thread)
        elif event.op == BEGIN:
            self.hand_over(event)
            self.pending[event.addr] = event.realloc
            self.temporary += self.live.get(event.addr, ())[2:] == (event.thread, self.calls[event.thread])
        elif event.op == REALLOC and self.pending.get(event.old) is event:
            self.step(event)
        elif event.op in FUNCTIONS and event.op != REALLOC:
            self.hand_over(event)
            self.came(event)

    def hand_over(self, event):
        """Reallocs are over when bytes of their old blocks are handed out; in a circle all go before one comes."""
        for old, realloc in list(self.pending.items()):
            is_in = old == event.addr or event.addr - self.live.get(old, (0,))[0] < old < event.addr + event.size
            if is_in and realloc in self.moving and realloc is not event and self.pending.pop(old, None):
                self.went(old, None)
            elif is_in and realloc not in self.moving and self.pending.get(old) is realloc:
                self.step(realloc)

    def step(self, realloc):
        self.moving.add(realloc)
        self.hand_over(realloc)
        if self.pending.pop(realloc.old, None):
            self.went(realloc.old, None)
        self.came(realloc)

    def went(self, addr, thread):
        size, node, *by = self.live.pop(addr, (0, None, None))
        if node is None:
            self.foreign += 1
            return
        self.bytes -= size
        self.steps.append((node, -size, -1))
        self.temporary += by == [thread, self.calls[thread]]

    def came(self, event):
        if event.addr in self.live:
            self.unseen += 1
            self.went(event.addr, None)
        self.calls[event.thread] += 1
        self.live[event.addr] = event.size, event.node, event.thread, self.calls[event.thread]
        self.bytes += event.size
        self.steps.append((event.node, event.size, 1))
        if self.bytes > self.peak:
            self.peak, self.peak_at = self.bytes, len(self.steps)


def figures(path):
    trace, tree, paths = Trace(path), {}, {0: ()}
    events = trace.events(tree)
    replay = Replay(events)
    frames = {chunk.base + i: "%d:%x%s" % (epoch, pc, "!" * (flags >> 1 & 1))  # "!": pc is exact
              for chunk in reversed(trace.chunks) if chunk.kind == IDS and chunk.data is not None
              for i, (pc, epoch, flags) in enumerate(struct.iter_unpack("<QII", chunk.data)) if flags & 1}
    for (node, frame), inner in tree.items():  # a node stands behind its parent
        paths[inner] = paths[node] + (frames.get(frame, "[%d]" % frame),)

    def stacks(weights):
        """Stacks of weight by text, cut as the recorder was told to."""
        result = collections.Counter()
        for node, weight in weights:
            cut = paths[node][paths[node][:1] == ("[2]",):][-trace.depth - 1:]
            result[";".join(paths[node] if len(cut) <= trace.depth else ("[2]",) + cut[1:])] += weight
        return {text: weight for text, weight in result.items() if weight}

    at_peak, live = replay.steps[:replay.peak_at], replay.live.values()
    calls = [event for event in events if event.op in FUNCTIONS]
    ops = collections.Counter(event.op for event in events)
    return {
        "totals": {
            "allocation_calls": len(calls), "allocated_bytes": sum(event.size for event in calls),
            "free_calls": ops[FREE], "foreign_frees": replay.foreign, "failed_calls": ops[FAILED],
            "temporary_calls": replay.temporary, "leaked_calls": len(live),
            "leaked_bytes": sum(block[0] for block in live), "peak_bytes": replay.peak,
            "peak_blocks": sum(step[2] for step in at_peak), "threads": len({0} | {event.thread for event in events}),
            "events": len(events) - ops[BEGIN], "unseen_frees": replay.unseen},
        "by_function": {name: sum(ops[op] for op in FUNCTIONS if FUNCTIONS[op] == name) for name in FUNCTIONS.values()},
        "lost_events": trace.lost, "damage": trace.damage, "peak_stacks": stacks(step[:2] for step in at_peak),
        "calls_stacks": stacks((event.node, 1) for event in calls),
        "leaked_stacks": stacks((block[1], block[0]) for block in live)}


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[1])))
