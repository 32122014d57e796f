#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tests/reader.py TRACE: a second reader of traces, which prints the figures as one JSON object. Written from
docs/trace-format.md, preload/trace/format.h (columns: from the document alone) and the definitions of what counts, by
somebody who had not seen the analyzer: where both agree, the document says enough. But the class Replay, and what is
expected of addresses, were changed together with analyzer and document; pauses came later."""
import bisect
import collections
import itertools
import json
import re
import struct
import subprocess
import sys

HEADER, CHUNK, WINDOW, TOTALS = range(0x184D2A50, 0x184D2A54)
SKIPPABLE, ZSTD = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18"), struct.pack("<I", 0xFD2FB528)
PAGE, SLOT, META, STACK_MAX, EVENTS, IDS, RECORDS, COLUMNS = 4096, 131072, 64, 12289, 1, 2, 3, 4
VERSION, SURE, LIMITS = 9, 65537, {EVENTS: SLOT, IDS: SLOT, RECORDS: SLOT, COLUMNS: 4 << 20}
FREE, REALLOC, ALIGNED, FAILED, EXT = 3, 4, 6, 8, 15
BEGIN, ONE_STEP, SILENT = 16, 17, 18  # ours: first step of a realloc, second is REALLOC; one of one step; no call
FUNCTIONS = {1: "malloc", 2: "calloc", 4: "realloc", 5: "realloc", 6: "aligned", 7: "new", ONE_STEP: "realloc"}
# data is None when not whole, node when recording was paused; late: it comes after those of its stamp that are not
Chunk = collections.namedtuple("Chunk", "offset in_slot kind stream seq base first_stamp thread events data")
Event = collections.namedtuple("Event", "stamp late stream number op thread addr size node old realloc")


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        head = struct.unpack_from("<II8sHH", self.bytes.ljust(PAGE, b"\0"))
        if len(self.bytes) < PAGE or head[0] != HEADER or head[2] != b"XALLOCTR" or head[3] < VERSION or head[4] > VERSION:
            sys.exit("%s: no trace that this reader knows" % path)
        self.depth, lost = struct.unpack_from("<IQ", self.bytes, 8 + 204)
        self.error, self.rule = (struct.unpack_from("<I", self.bytes, 8 + at)[0] == value for at, value in ((96, SURE), (228, 1)))
        self.damage, self.chunks, self.counted, self.lost = [(0, "header")] * (not holds(self.bytes[8:248])), [], 0, lost // SURE
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
                return self.damage.append((at, "another trace"))
            if magic == CHUNK and size == META:
                meta = struct.unpack_from("<IIQQQQIIIIII", self.bytes, at + 8)
                body, behind = behind, behind + meta[11]
                possible = meta[9] == checksum(self.bytes[at + 8:at + 60], 0, *meta[10:]) and meta[10] <= LIMITS.get(meta[0], -1) and behind <= len(self.bytes)
                data = inflate(self.bytes[body:behind], meta[10]) if possible else None
                self.chunks += [Chunk(at, False, *meta[:5], meta[7], meta[6], data)] if possible else []
                self.damage += [(at, "chunk does not hold")] if data is None else []
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
        places = (found.start() for found in SKIPPABLE.finditer(self.bytes, at))
        return next((place for place in places if self.head(place)[0]), len(self.bytes))

    def window(self, at, size):
        count = struct.unpack_from("<I", self.bytes, at + 8)[0] if size >= PAGE - 8 else 1
        if PAGE - 8 + count * SLOT > size:
            return self.damage.append((at, "impossible live window"))
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
        for chunk in [chunk for chunk in self.chunks if chunk.kind in (EVENTS, COLUMNS)]:
            streams[chunk.stream].setdefault(chunk.seq, chunk)
        for stream in sorted(streams):
            end = following = reached = 0
            for seq, chunk in sorted(streams[stream].items()):
                whole, bad = decode(chunk, events, tree, reached) if chunk.data is not None else (0, True)
                if bad or whole != chunk.events or seq != following or chunk.base != end:
                    self.damage.append((chunk.offset, "%d events, gap of %d" % (whole, chunk.base - end)))
                missing += (max(chunk.base - end, 0) if seq != following else 0) + max(chunk.events - whole, 0)
                committed += 0 if chunk.in_slot else whole
                following, end, reached = seq + 1, chunk.base + chunk.events, events[-1].stamp if whole else reached
        self.lost += max(missing, self.counted - committed)
        return sorted(events)


def checksum(*parts):
    check = 0x58414C4C
    for word in (word for part in parts for word in (memoryview(part).cast("I") if isinstance(part, bytes) else (part,))):
        check = (check ^ word) * 0x9E3779B1 & (1 << 32) - 1
        check ^= check >> 15
    return check


def holds(head):
    """Whether the checksums of a header do, and its words that change are what they can be."""
    word = struct.unpack("<60I", head)
    pairs = [(word[at + 5], checksum(head[4 * at:4 * at + 20])) for at in (34, 40)]
    return (word[59] == checksum(head[:96], head[100:136], word[51], word[57], word[58]) and word[46] <= 2 and
            (len(set(pairs[word[46] - 1])) == 1 if word[46] else not any(check for check, _ in pairs)) and
            all(value % SURE == 0 for value in (word[24], *word[47:51], word[52] + (word[53] << 32))))


def inflate(frame, size):
    done = subprocess.run(["zstd", "-dcq"], input=frame, capture_output=True, check=False)
    return done.stdout if frame.startswith(ZSTD) and done.returncode == 0 and len(done.stdout) == size else None


def varint(source, most=10):
    byte = next(source if most else iter(()))
    return byte & 0x7F | (varint(source, most - 1) << 7 if byte & 0x80 else 0)


def parted(first, rest):
    """A number of which only the first byte is in its own column."""
    byte = next(first)
    value = byte & 0x7F | (varint(rest) << 7 if byte & 0x80 else 0)
    if value >> 64:
        raise ValueError
    return value


def decode(chunk, out, tree, reached):
    """Appends the events up to damage, returns how many. tree: (node, frame id) -> node of a stack, 0 the empty one.
    Rows are read from one iterator, each column from its own. No stamp is before what the stream reached."""
    stamp, thread, stack, last, size, lows, count = chunk.first_stamp, chunk.thread, [0], 0, 0, (0, 0), 0
    data, rows, parts, paused, pool = chunk.data, chunk.kind == EVENTS, [iter(chunk.data)] * 11, False, False
    called, bare, number = [], 0, (lambda first, _: varint(first)) if rows else parted
    blocks, behind = collections.deque(maxlen=4096), collections.defaultdict(int)  # (address, class); by class, -1 all
    expected, spare = collections.defaultdict(list), collections.defaultdict(list)  # by class

    def address(base, step, bits):
        return ((base >> 4) + (step >> 1 ^ -(step & 1))) << 4 & (1 << 64) - 1 | bits

    try:
        if not rows:
            ends = list(itertools.accumulate(struct.unpack_from("<11I", data), initial=44))
            parts = [iter(data[begin:end]) for begin, end in zip(ends, ends[1:])] if ends[-1] == len(data) else ()
        heads, stamps, calls, pushed, sizes, freed, addresses, *rest = parts
        for head in heads:
            op = head & 15
            if op == EXT and not head & 0x80:
                subtype, length = next(heads), varint(heads)
                payload = iter([next(heads) for _ in range(length)])
                thread = varint(payload) if subtype == 1 else thread
                stack, last, size = ([0], 0, 0) if subtype in (1, 2) else (stack, last, size)
                lows = (next(payload), next(payload)) if subtype == 3 else lows
                stamp += varint(payload) if subtype == 5 else 0
                paused = next(payload) != 0 if subtype == 8 else paused and subtype not in (1, 2)
                pool = pool or subtype == 9
                continue
            if not 1 <= op <= FAILED or head & 0x80 and (rows or any(lows) or op in (FREE, FAILED)):
                raise IndexError
            _ = next(heads) if op in (ALIGNED, FAILED) else None
            head, bare = head ^ 16 * (not rows and bare == 63), bare + 1
            bare = 0 if head & 0x10 else bare
            begin = stamp = stamp + (number(stamps, rest[0]) if head & 0x10 else 0)
            stamp += number(stamps, rest[0]) if head & 0x10 and op == REALLOC else 0
            call = parted(calls, rest[1]) if op != FREE and not head & 0x20 and not rows else 0
            if call:
                stack = list(called[call - 1])
            elif op != FREE and not head & 0x20:
                pops, pushes = divmod(next(pushed), 16)
                pops, pushes = (varint(pushed) if count == 15 else count for count in (pops, pushes))
                if pops >= len(stack) or len(stack) - pops + pushes > STACK_MAX + 1:
                    raise IndexError
                del stack[len(stack) - pops:]
                for _ in range(pushes):
                    stack.append(tree.setdefault((stack[-1], varint(pushed)), len(tree) + 1))
                called += [tuple(stack)] * (len(called) < 65535)
            size = number(sizes, rest[2]) if op != FREE and not head & 0x40 else size
            old, of, kind = 0, 0, 2 if size <= 24 else (size + 23) // 16 if size <= 2024 else 0
            if op in (FREE, REALLOC):
                code = number(freed, rest[3]) << rows | rows
                near = address(last, code >> 1, lows[op == REALLOC])
                old, of = last, _ = (near, 0) if code & 1 else blocks[-(code // 2) or 4096]
            if head & 0x80:
                last = old if op == REALLOC else (expected[kind] or spare[kind] or [behind[-1]][not behind[-1]:])[-1]
            elif op not in (FREE, FAILED):
                last = address(last if rows else behind[kind] or behind[-1], varint(addresses), lows[0])
            if of and (op == FREE or last != old) and (len(expected[of]) < 7 or of <= 8 and len(spare[of]) < 256):
                (expected if len(expected[of]) < 7 else spare)[of].append(old)
            if op not in (FREE, FAILED) and not rows and not any(lows):
                blocks.append((last, kind))
                if last in expected[kind] and last != old:  # its topmost place
                    del expected[kind][-1 - expected[kind][::-1].index(last):]
                elif not expected[kind] and spare[kind][-1:] == [last] != [old]:
                    expected[kind], spare[kind] = spare[kind][-2::-1][:7], spare[kind][:-8]
                elif last != old:
                    spare[kind] = spare[kind] if expected[kind] else []
                    behind[kind] = behind[-1] = last + max(32, size + 23 & ~15) & (1 << 64) - 1
            lows, count, addr = (0, 0), count + 1, None if op == FAILED else last
            stream, begin, end = chunk.stream, max(begin, reached), max(stamp, reached)
            op = ONE_STEP if op == REALLOC and begin == end else SILENT if op == FAILED and (paused or pool) else op
            late = op not in (FREE, REALLOC, ONE_STEP) or bool(out) and out[-1][:3] == (begin, True, stream)
            two, at, pool, node = op == REALLOC, len(out), False, None if paused else stack[-1]
            event = Event(end, late or two, stream, at + two, op, thread, addr, size, node, old, None)
            out += [event._replace(stamp=begin, late=late, number=at, op=BEGIN, realloc=event)] * two + [event]
    except (IndexError, StopIteration, ValueError, struct.error):
        return count, True
    return count, any(next(part, None) is not None for part in parts)


def addresses(event):
    """What an event, or a step of a realloc, gives back and what it hands out."""
    gives = event.addr if event.op == FREE else event.old if event.op in (BEGIN, ONE_STEP) else None
    return gives, event.addr if event.op in FUNCTIONS else None


class Replay:
    def __init__(self, events, error, has_rule):
        self.events, self.done, self.error, self.has_rule = events, bytearray(len(events)), error, has_rule
        self.live, self.calls = {}, collections.Counter()  # address -> (bytes, node, thread, number of its call)
        self.open, self.moving = set(), {}  # reallocs that have begun and are not over; old address -> realloc
        self.steps = []  # (node, bytes, blocks), one for each block that came or went
        self.bytes = self.peak = self.peak_at = self.temporary = self.foreign = self.unseen = self.untracked = 0
        for at in range(len(events)):
            self.emit(at, at, frozenset())

    def emit(self, at, first, waiting):
        """An event, after those that it waits for. All before first are done."""
        event = self.events[at]
        while not self.done[at] and (found := self.match(event, first, waiting | {event.stream})) is not None:
            for before in range(first, found + 1):
                if self.events[before].stream == self.events[found].stream:
                    self.emit(before, first, waiting | {event.stream})
        if not self.done[at]:
            self.done[at] = 1
            self.apply(event)

    def match(self, event, first, waiting):
        """Up to which event those of another stream come first, because this one contradicts what is live."""
        gives, gets = addresses(event)
        gets = None if gets == event.old or event.op == REALLOC and event not in self.open else gets
        for is_get, addr in enumerate((gives, gets)):
            is_wrong = addr is not None and is_get == (addr in self.live and addr not in self.moving)
            near = range(first, is_wrong and bisect.bisect(self.events, (event.stamp + self.error + 1,)))
            for at in near:
                other = self.events[at]
                if addresses(other)[not is_get] == addr and other.stream not in waiting and not self.done[at]:
                    return next((end for end in near if self.events[end] is other.realloc), at)
        return None

    def apply(self, event):
        gives, gets = addresses(event)
        block = None if gives in self.moving else self.live.get(gives)
        self.foreign += gives is not None and block is None
        self.untracked += event.op == FREE and block is not None and block[1] is None
        self.temporary += block is not None and block[2:] == (event.thread, self.calls[event.thread])
        if event.op in (BEGIN, ONE_STEP):
            self.open.add(event.realloc or event)
            self.moving.update({gives: event.realloc or event} if block else {})
        else:
            self.went(block and self.live.pop(gives))
        if event in self.open or gets is not None and event.op != REALLOC:
            self.hand_out(event)

    def hand_out(self, event):
        """Reallocs of whose old blocks bytes are handed out are over; in a circle all old ones go before a new one."""
        def end(addr, size):
            return addr + (max(24, (size + 23 & ~15) - 8) if self.has_rule else max(size, 1))
        self.open.discard(event)
        block = self.live.pop(self.moving.pop(event.old).old) if self.moving.get(event.old) is event else None
        while over := [old for old in self.moving if old < end(event.addr, event.size) and
                       event.addr < end(old, self.live[old][0])]:
            self.hand_out(self.moving[min(over)])
        self.unseen += self.live.get(event.addr, (0, None))[1] is not None
        self.went(block)
        self.went(self.live.get(event.addr))
        counts = event.node is not None
        self.calls[event.thread] += counts
        self.live[event.addr] = event.size * counts, event.node, event.thread, self.calls[event.thread] * counts or -1
        self.bytes += event.size * counts
        self.steps.append((event.node, event.size * counts, counts))
        if self.bytes > self.peak:
            self.peak, self.peak_at = self.bytes, len(self.steps)

    def went(self, block):
        self.bytes -= block[0] if block else 0
        self.steps += [(block[1], -block[0], -(block[3] > 0))] if block else []


def figures(path):
    trace, tree, paths = Trace(path), {}, {0: (), None: ()}
    events = trace.events(tree)
    replay = Replay(events, trace.error, trace.rule)
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
    at_peak, live = replay.steps[:replay.peak_at], [block for block in replay.live.values() if block[1] is not None]
    calls = [event for event in events if event.op in FUNCTIONS and event.node is not None]
    ops, own = collections.Counter(event.op for event in events), collections.Counter(event.op for event in calls)
    return {
        "totals": {
            "allocation_calls": len(calls), "allocated_bytes": sum(event.size for event in calls),
            "free_calls": ops[FREE] - replay.untracked, "foreign_frees": replay.foreign, "failed_calls": ops[FAILED],
            "temporary_calls": replay.temporary, "leaked_calls": len(live), "leaked_bytes": sum(b[0] for b in live),
            "peak_bytes": replay.peak, "peak_blocks": sum(step[2] for step in at_peak), "unseen_frees": replay.unseen,
            "threads": len({0} | {event.thread for event in events}), "events": len(events) - ops[BEGIN]},
        "by_function": {name: sum(own[op] for op in FUNCTIONS if FUNCTIONS[op] == name) for name in FUNCTIONS.values()},
        "lost_events": trace.lost, "damage": trace.damage, "peak_stacks": stacks(step[:2] for step in at_peak),
        "calls_stacks": stacks((event.node, 1) for event in calls),
        "leaked_stacks": stacks(block[1::-1] for block in live)}


if __name__ == "__main__":
    print(json.dumps(figures(sys.argv[1])))
