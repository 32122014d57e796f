# SPDX-License-Identifier: GPL-3.0-or-later
"""Random traces of several streams whose stamps are equal or next to each other, so that the order of their events is
a riddle: docs/trace-format.md, "The order of events". Everything stands in slots of a live window, as a kill
leaves it: nothing is to be compressed, and thousands are made in seconds."""
import collections
import struct

from stream_writer import OP_FREE, OP_MALLOC, OP_REALLOC, STAMPED, Stream
from trace_writer import FRAME_HEADER, FRAME_WINDOW, HEADER, KIND_EVENTS, KIND_IDS, READY, SURE, sealed_header, varint

PAGE, SLOT = 4096, 131072
TSC, COUNTER = 1, 2
FRAME = 16  # the id of the one frame of stream 0, and so on
LOOK = 30   # events of a stream: readers look for what an event waits for among the next 32
# A block of `size` bytes at addr, the free of addr, or a realloc of old from stamp to end.
Event = collections.namedtuple("Event", "op stamp end addr old size")


def history(rng, gap, error):
    """What some threads did to 12 addresses. The clock moves by up to `gap` from one event to the next, and a stamp is
    up to `error` late."""
    threads = [[] for _ in range(rng.randint(2, 5))]
    live, free, moving, clock = [], [0x10000 * i + 0x10010 for i in range(12)], {}, 100

    def stamp(i):
        last = threads[i][-1].end if threads[i] else 0
        return max(clock + rng.randint(0, error), last, moving[i][0] if i in moving else 0)

    def add(i, op, addr, begin=None, old=0, size=0):
        end = stamp(i)
        threads[i].append(Event(op, end if begin is None else begin, end, addr, old, size))

    def pick(addresses):
        return addresses.pop(rng.randrange(len(addresses)))

    for _ in range(rng.randint(5, 40 if gap == 0 else 100)):
        clock += rng.randint(0, gap)
        i, choice = rng.randrange(len(threads)), rng.random()
        if len(threads[i]) >= LOOK and gap == 0:
            continue
        if i in moving:
            begin, old, addr, size, is_back = moving[i]
            if not is_back:  # the bytes are at their new place, the old one is the allocator's again
                moving[i][4] = True
                free.append(old)
            elif choice < 0.5:
                add(i, OP_REALLOC, addr, begin, old, size)
                live.append(addr)
                del moving[i]
        elif choice < 0.45 and free:
            live.append(pick(free))
            add(i, OP_MALLOC, live[-1], size=rng.randint(0, 300))
        elif choice < 0.75 and live:
            free.append(pick(live))
            add(i, OP_FREE, free[-1])
        elif live and free:
            old, stays = pick(live), rng.random() < 0.2
            moving[i] = [stamp(i), old, old if stays else pick(free), rng.randint(0, 300), stays]
    for i, (begin, old, addr, size, _) in moving.items():
        add(i, OP_REALLOC, addr, begin, old, size)
    return threads


def nonsense(rng, gap):
    """Events that no allocator could have caused, at few addresses."""
    threads = [[] for _ in range(rng.randint(2, 5))]
    addresses = [0x10000 * i + 0x10010 for i in range(rng.randint(1, 5))]
    for events in threads:
        clock = 100
        for _ in range(rng.randint(0, 12)):
            clock += rng.randint(0, gap)
            begin, op = clock, rng.choice((OP_MALLOC, OP_MALLOC, OP_FREE, OP_FREE, OP_REALLOC))
            if op == OP_REALLOC:
                clock += rng.randint(0, 2 * gap)
            events.append(Event(op, begin, clock, rng.choice(addresses), rng.choice(addresses), rng.randint(0, 300)))
    return threads


def encode(events, frame, last, rng):
    """One chunk. What has no stamp of its own has the last one."""
    chunk = Stream(frame)
    chunk.stamp = first = last
    for e in events:
        at = len(chunk.data)
        if e.op == OP_FREE:
            chunk.free(e.stamp, e.addr)
        elif e.op == OP_MALLOC:
            chunk.malloc(e.stamp, e.addr, e.size)
        else:
            chunk.realloc(e.stamp, e.end, e.old, e.addr, e.size)
        if e.end == last and rng.random() < 0.3:
            deltas = 2 if e.op == OP_REALLOC else 1
            chunk.data = chunk.data[:at] + bytes([e.op]) + chunk.data[at + 1 + deltas * len(varint(0)):]
        last = e.end
    return first, chunk


def write(path, threads, rng, clock, goes_back=False):
    """The chunks of each stream are cut at random. goes_back: some begin before their stream has come so far."""
    slots = []
    for number, events in enumerate(threads):
        base, seq = 0, 0
        while base < len(events):
            count = rng.choice((len(events), rng.randint(1, 10)))
            part = events[base:base + count]
            if goes_back and base and rng.random() < 0.5:
                back = rng.randint(1, 5)
                part = [e._replace(stamp=e.stamp - back, end=e.end - back) for e in part]
            last = events[base - 1].end if base and not goes_back and rng.random() < 0.5 else part[0].stamp
            first, chunk = encode(part, FRAME + number, last, rng)
            slots.append((struct.pack("<IIQQQIIII", KIND_EVENTS, number, seq, base, first, number, 100 + number,
                                      len(chunk.data), chunk.events), chunk.data))
            base, seq = base + chunk.events, seq + 1
    rng.shuffle(slots)
    ids = bytes(16 * FRAME) + b"".join(struct.pack("<QII", 0x1001 + i, 0, READY) for i in range(len(threads)))
    slots.append((struct.pack("<IIQQQIIII", KIND_IDS, *[0] * 8), ids))
    head = struct.pack(HEADER, b"XALLOCTR", 9, 9, 240, 100, 99, 1000, 1000, 100, 0, b"boot", 0, 0, clock * SURE, 0, 0,
                       0, 5000, 7, 1000, 6000, 7, 0, 0, 0, 1, SURE, 0, 0, 0, 1024, 0, 0, len(threads), rng.choice((0, 1)), 0, 0)
    with open(path, "wb") as file:
        file.write((struct.pack("<II", FRAME_HEADER, PAGE - 8) + sealed_header(head)).ljust(PAGE, b"\0"))
        table = struct.pack("<IIII", FRAME_WINDOW, PAGE - 8 + len(slots) * SLOT, len(slots), 0)
        file.write((table + b"".join(fields.ljust(64, b"\0") for fields, _ in slots)).ljust(PAGE, b"\0"))
        for i, (_, data) in enumerate(slots):
            file.seek(2 * PAGE + i * SLOT)
            file.write(data)
        file.truncate(2 * PAGE + len(slots) * SLOT)


def make(path, rng):
    """A trace of any kind; returns whether it is one that a program can leave, and its kind in words."""
    gap, error, clock = rng.choice((0, 1, 1, 2, 2, 5)), rng.choice((0, 0, 1)), rng.choice((TSC, TSC, TSC, COUNTER))
    error *= clock == TSC
    is_real, goes_back = rng.random() < 0.7, rng.random() < 0.3
    if is_real:
        write(path, history(rng, gap, error), rng, clock)
    else:
        write(path, nonsense(rng, gap), rng, clock, goes_back)
    return is_real, "%s, gap %d, error %d, clock %d" % (
        "history" if is_real else "nonsense that goes back" if goes_back else "nonsense", gap, error, clock)
