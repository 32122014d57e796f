# SPDX-License-Identifier: GPL-3.0-or-later
"""Random programs for tests/progs/acts.c, and every figure of them that a budget may limit, from the list of acts alone:
by phase, iteration, function and thread. Nothing here reads a trace."""
import os
import random
import struct

from xtest import BUILD, check_equal, record, temp

ALLOCATE, FREE, REALLOCATE, FAIL, MARK, ITERATE, PAUSE, RESUME = range(8)
PHASES = ("one", "two", "three")
SITES = (("load", "lead", "allocate"), ("send", "lead", "allocate"), ("wait_for", "allocate"))  # outermost first
SLOTS = 64
PROGRAM = os.path.join(BUILD, "progs", "acts")
BASE = 272  # bytes that libc keeps for a second thread; the caller says what they are here

COUNTERS = ("free_calls", "foreign_frees", "freed_blocks", "realloc_frees", "unseen_frees", "failed_calls",
            "untracked_calls", "untracked_frees", "events")


def make(seed, count, pauses=True):
    """A list of acts (what, thread, site, slot, size): phases that come again, with iterations and without."""
    rng = random.Random(seed)
    acts, live, paused, iterates = [], {}, False, False
    while len(acts) < count:
        dice = rng.random()
        thread, site = rng.randrange(2), rng.randrange(3)
        if dice < 0.006:
            acts.append((MARK, rng.randrange(2), 0, rng.randrange(3), 0))
            iterates = rng.random() < 0.7
        elif dice < 0.05:
            if iterates:
                acts.append((ITERATE, rng.randrange(2), 0, 0, 0))
        elif dice < 0.055 and pauses:
            acts.append((RESUME if paused else PAUSE, 0, 0, 0, 0))
            paused = not paused
        elif dice < 0.06:
            free = [slot for slot in range(SLOTS) if slot not in live]
            if free:
                acts.append((FAIL, thread, 0, rng.choice(free), 0))
        elif dice < 0.45 or not live:
            slot = rng.randrange(SLOTS)
            if slot in live:
                acts.append((REALLOCATE, thread, site, slot, rng.randrange(1, 3000)))
            else:
                acts.append((ALLOCATE, thread, site, slot, rng.randrange(1, 3000)))
                live[slot] = True
                if rng.random() < 0.4:
                    acts.append((FREE, thread, 0, slot, 0))
                    del live[slot]
        else:
            slot = rng.choice(list(live))
            acts.append((FREE, thread, 0, slot, 0))
            del live[slot]
    if paused:
        acts.append((RESUME, 0, 0, 0, 0))
    return acts


def run(name, acts):
    """The trace of a run."""
    trace, path = temp(name + ".zst"), temp(name + ".acts")
    with open(path, "wb") as file:
        for act in acts:
            file.write(struct.pack("<5I", *act))
    done = record([PROGRAM, path], trace)
    check_equal((done.returncode, done.stderr), (0, b""), "acts " + name)
    return trace


class Block:
    """One allocation call and what becomes of it; where: (phase, turn) of the call, of its end."""

    def __init__(self, thread, site, size, where):
        self.thread, self.site, self.size, self.where = thread, site, size, where
        self.ended = None
        self.is_temporary = False
        self.is_tracked = True
        self.is_realloc = False


class Course:
    """What the acts come to."""

    def __init__(self, acts, base_bytes):
        self.blocks, self.counts = [], []  # counts: (counter, where)
        self.turns = []                    # phase of each whole one
        self.held = {}                     # phase, None: all: the blocks at its peak
        self._most = {}
        self._live, self._bytes = {}, 0
        self._latest = {}
        self._turn, self._phase, self._number = None, "start", 0
        self._whole = set()
        self._order = ["start"]
        self._paused = False
        self._allocate("base", 0, None, base_bytes)
        for act in acts:
            self._act(*act)
        self.leaked = set(self._live.values())

    def _where(self):
        return self._phase, self._turn

    def _count(self, *counters):
        for counter in counters:
            self.counts.append((counter, self._where()))

    def _look(self):
        for phase in (None, self._phase):
            if self._bytes > self._most.get(phase, 0):
                self._most[phase] = self._bytes
                self.held[phase] = [block for block in self._live.values() if block.is_tracked]

    def _allocate(self, slot, thread, site, size):
        block = Block(thread, site, size, self._where())
        block.is_tracked = not self._paused
        self._live[slot] = block
        if self._paused:
            self._count("untracked_calls", "events")
            return
        self._count("events")
        self.blocks.append(block)
        self._latest[thread] = block
        self._bytes += size
        self._look()

    def _end(self, slot, thread, counters):
        """False: it is one of a pause."""
        block = self._live.pop(slot)
        if not block.is_tracked:
            self._count("untracked_frees")
            return False
        block.ended = self._where()
        block.is_temporary = block.thread == thread and self._latest.get(thread) is block
        self._count(*counters)
        self._bytes -= block.size
        return True

    def _act(self, what, thread, site, slot, size):
        if what == ALLOCATE:
            self._allocate(slot, thread, site, size)
        elif what == FREE:
            self._end(slot, thread, ("free_calls", "freed_blocks"))
            self._count("events")
        elif what == REALLOCATE:
            self._end(slot, thread, ("realloc_frees",))
            self._allocate(slot, thread, site, size)
            self._live[slot].is_realloc = True
        elif what == FAIL:
            self._count("events", *(() if self._paused else ("failed_calls",)))
        elif what in (PAUSE, RESUME):
            self._paused = what == PAUSE
        elif what == MARK:
            self._phase, self._turn = PHASES[slot], None
            if self._phase not in self._order:
                self._order.append(self._phase)
            self._look()
        elif what == ITERATE:
            if self._turn is not None:
                self._whole.add(self._turn)
                self.turns.append(self._phase)
            self._number += 1
            self._turn = self._number

    def _is_in(self, where, phase, per):
        return where is not None and phase in (None, where[0]) and (not per or where[1] in self._whole)

    def in_order(self):
        """The phases as they begin."""
        return self._order

    def phases(self):
        return set(self._order)

    def growth(self, phase, function, thread):
        """Bytes that stacks gain in iterations, without those that lose some."""
        by_stack = {}
        for block in self.blocks:
            if thread in (None, block.thread) and block.site is not None and (
                    function is None or function in SITES[block.site]):
                stack = block.thread, block.site, block.is_realloc
                change = self._is_in(block.where, phase, True) - self._is_in(block.ended, phase, True)
                by_stack[stack] = by_stack.get(stack, 0) + change * block.size
        return sum(change for change in by_stack.values() if change > 0)

    def figure(self, metric, phase=None, per=False, function=None, thread=None):
        """None: the program did not mark two iterations there."""
        turns = sum(phase in (None, one) for one in self.turns) if per else 1
        if not turns:
            return None

        def chosen(block):
            return thread in (None, block.thread) and (
                function is None or (block.site is not None and function in SITES[block.site]))

        calls = [b for b in self.blocks if chosen(b) and self._is_in(b.where, phase, per)]
        # a temporary call is of the phase of the call, but of the iteration that gives its block back
        temporary = [b for b in self.blocks if chosen(b) and b.is_temporary and
                     self._is_in(b.ended if per else b.where, phase, per)]
        if metric == "allocation_calls":
            return len(calls) / turns
        if metric == "allocated_bytes":
            return sum(b.size for b in calls) / turns
        if metric == "temporary_calls":
            return len(temporary) / turns
        if metric == "temporary_ratio":
            return len(temporary) / len(calls) if calls else 0
        if metric == "live_bytes":
            gone = sum(b.size for b in self.blocks if chosen(b) and self._is_in(b.ended, phase, per))
            return (sum(b.size for b in calls) - gone) / turns
        if metric in ("peak_bytes", "peak_blocks"):
            held = [b for b in self.held[phase] if chosen(b)]
            return sum(b.size for b in held) if metric == "peak_bytes" else len(held)
        if metric in ("leaked_bytes", "leaked_calls"):
            left = [b for b in calls if b in self.leaked]
            return sum(b.size for b in left) if metric == "leaked_bytes" else len(left)
        if metric in COUNTERS:
            return sum(counter == metric and self._is_in(where, phase, per) for counter, where in self.counts) / turns
        return 2  # threads
