# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of each block of a trace, by tests/reader.py, and what selections of blocks come to: a second way for the
views of xalloc-report, block by block and in no way made to be fast."""
import collections
import struct

import reader

FREED, REALLOCATED, UNSEEN = "freed", "reallocated", "unseen"


class Block:
    """born and died: numbers of steps; died None: it lives at the end. calls and bytes: of all allocation calls up to
    its own, and at its death. old: the block that its realloc replaced."""

    def __init__(self, event, born, stamp, calls, total):
        self.addr, self.size, self.node, self.thread = event.addr, event.size, event.node, event.thread
        self.function = reader.FUNCTIONS.get(event.op, "realloc")
        self.born, self.born_stamp, self.born_calls, self.born_bytes = born, stamp, calls, total
        self.died = self.died_stamp = self.died_calls = self.died_bytes = self.how = self.freer = self.old = None
        self.is_temporary = False
        self.replaced = None  # an older and smaller block of its stack and thread, freed right after it


class Lives(reader.Replay):
    def __init__(self, path):
        trace, self.tree = reader.Trace(path), {}
        self.by_call, self.blocks, self.free_calls, self.foreign_stamps = {}, [], [], []
        self.now, self.step, self.all_calls, self.all_bytes = None, 0, 0, 0
        self.seen = self.seen_before = self.depth = 0  # the latest stamp, and before this event
        self.latest = {}  # thread: its latest block, when nothing was replaced by that
        self.curve = []  # (stamp, bytes) after each step
        self.header(trace.bytes)
        super().__init__(trace.events(self.tree), trace.error, trace.rule)

    def header(self, data):
        first, *last = struct.iter_unpack("<QQII", data[8 + 112:8 + 112 + 72])
        index = struct.unpack_from("<I", data, 8 + 184)[0]
        self.first = first[0]
        self.stamps, self.ns = (last[index - 1][0] - first[0], last[index - 1][1] - first[1]) if index else (0, 0)

    def time(self, stamp):
        return max(stamp - self.first, 0) * self.ns // self.stamps

    def apply(self, event):
        gives, _ = reader.addresses(event)
        block = None if gives in self.moving else self.live.get(gives)
        if block is not None:
            mine = self.by_call[block[2:]]
            mine.is_temporary = block[2:] == (event.thread, self.calls[event.thread])
            mine.temporary_stamp, mine.freer = event.stamp, event.thread
        if event.op == reader.FREE:
            self.free_calls.append((event.stamp, block and self.by_call[block[2:]]))
            self.foreign_stamps += [(event.stamp, event.thread)] if block is None else []
        elif gives is not None and block is None:
            self.foreign_stamps.append((event.stamp, event.thread))
        before, self.now = self.now, event
        self.seen_before, self.seen = self.seen, max(self.seen, event.stamp)
        super().apply(event)
        self.now = before
        if event.op == reader.FREE and block is not None:
            self.replace(mine, event.thread)
        if event.op == reader.FREE:
            self.next_step(event.stamp)

    def replace(self, old, thread):
        new = self.latest.get(thread)
        if new and old is not new and old.thread == thread and new.node == old.node and new.size > old.size:
            new.replaced = old
            del self.latest[thread]

    def hand_out(self, event):
        before, self.now = self.now, event
        self.replaced = None
        self.depth += 1
        super().hand_out(event)
        self.depth -= 1
        # a realloc that is over before its time, for its address was handed out, has the time of the event before
        stamp = self.seen_before if self.depth else event.stamp
        block = Block(event, self.step, stamp, self.all_calls + 1, self.all_bytes + event.size)
        block.old, self.replaced = self.replaced, None
        self.all_calls, self.all_bytes = block.born_calls, block.born_bytes
        self.by_call[self.live[event.addr][2:]] = block
        self.blocks.append(block)
        self.latest[event.thread] = block
        if event.op in (reader.REALLOC, reader.ONE_STEP):
            del self.latest[event.thread]
        self.next_step(stamp)
        self.now = before

    def went(self, block):
        super().went(block)
        if not block:
            return
        mine = self.by_call[block[2:]]
        mine.died, mine.died_stamp = self.step, self.seen_before if self.depth > 1 else self.now.stamp
        mine.died_calls, mine.died_bytes = self.all_calls, self.all_bytes
        if self.latest.get(mine.thread) is mine:
            del self.latest[mine.thread]
        if self.now.op == reader.FREE:
            mine.how = FREED
        elif self.now.op in (reader.REALLOC, reader.BEGIN, reader.ONE_STEP) and self.now.old == mine.addr:
            mine.how, self.replaced = REALLOCATED, mine
        else:
            mine.how = UNSEEN

    def next_step(self, stamp):
        self.curve.append((stamp, self.bytes))
        self.step += 1


def select(lives, thread=None, least=0, most=1 << 64, start=None, end=None, at=None, has_node=None):
    """The totals of a selection, and (block, is it early) of each that is in it."""
    def behind(stamp):
        return end is not None and lives.time(stamp) > end

    def early(stamp):
        return start is not None and lives.time(stamp) < start

    def has(block):
        return (thread in (None, block.thread) and least <= block.size <= most and
                (has_node is None or has_node(block.node)))

    chosen = [(block, early(block.born_stamp)) for block in lives.blocks if has(block) and not behind(block.born_stamp)]
    own = [block for block, is_early in chosen if not is_early]
    died = [block for block in own if block.died is not None and not behind(block.died_stamp)]
    steps = [i for i, (stamp, _) in enumerate(lives.curve) if not early(stamp) and not behind(stamp)]
    if at is not None:
        instant = sum(lives.time(stamp) <= at for stamp, _ in lives.curve) - 1
    else:
        begin = sum(early(stamp) for stamp, _ in lives.curve) - 1  # the state when the range begins
        states = [begin] * (start is not None) + steps
        instant = max(states, key=lambda i: (lives.curve[i][1] if i >= 0 else 0, -i), default=-1)
    peak = [block for block, _ in chosen
            if block.born <= instant and (block.died is None or block.died > instant)]
    functions = collections.Counter(block.function for block in own)
    left = [block for block in own if block.died is None or behind(block.died_stamp)]
    totals = {
        "allocation_calls": len(own), "allocated_bytes": sum(block.size for block in own),
        "peak_bytes": sum(block.size for block in peak), "peak_blocks": len(peak),
        "leaked_bytes": sum(block.size for block in left), "leaked_calls": len(left),
        "temporary_calls": sum(block.is_temporary and not behind(block.temporary_stamp) for block in own),
        "threads": len({block.thread for block in own}),
        "free_calls": sum(block is not None and has(block) and not early(stamp) and not behind(stamp)
                          for stamp, block in lives.free_calls)}
    return totals, functions, own, died
