# SPDX-License-Identifier: GPL-3.0-or-later
"""What is promised of a row, and whether it holds. Figures are medians of ratios of one round's measurements."""
import statistics

LITTLE_SHARE, LITTLE_SECONDS = 0.2, 0.05  # what heaptrack must add for a row to be judged
EVERY_ROW = 1 / 3
WALL_FACTOR, QUIET_CORES = 1.25, 0.15
MEMORY_BYTES, MEMORY_THREAD_BYTES = 4 << 20, 200 << 10
ANALYSIS_SHARE, ANALYSIS_BYTES, ANALYSIS_BLOCK_BYTES = 1 / 3, 60 << 20, 48
BYTES_ALWAYS = 0.5  # a call
STARTUP_HAND, STARTUP_RECORD = 0.0015, 0.005


def median(rounds, figure):
    """figure(round) over all rounds; None where a measurement is missing."""
    values = [figure(r) for r in rounds]
    return None if not values or None in values else statistics.median(values)


def ratio(mode, what):
    """mode's against the native run."""
    return lambda r: getattr(r[mode], what) / getattr(r["native"], what) if mode in r else None


def added(mode, what):
    return lambda r: getattr(r[mode], what) - getattr(r["native"], what) if mode in r else None


def share(mode, what, peer_what):
    """What mode adds of what heaptrack adds."""
    def figure(r):
        if mode not in r or "heaptrack" not in r:
            return None
        peer = added("heaptrack", peer_what)(r)
        return added(mode, what)(r) / peer if peer > 0 else None
    return figure


class Verdict:
    def __init__(self, what, got, bound, judged=True, why=""):
        self.what, self.got, self.bound, self.judged, self.why = what, got, bound, judged and got is not None, why

    @property
    def word(self):
        return "not judged" if not self.judged else "ok" if self.got <= self.bound else "SHORT"

    def __str__(self):
        got = "none" if self.got is None else "%.3g" % self.got
        return "%s: %s %s, bound %.3g%s" % (self.word, self.what, got, self.bound,
                                            " (%s)" % self.why if self.why and not self.judged else "")


def is_much(rounds, what):
    """Does heaptrack add enough for its share to be a figure?"""
    seconds, times = median(rounds, added("heaptrack", what)), median(rounds, ratio("heaptrack", what))
    return seconds is not None and seconds >= LITTLE_SECONDS and times >= 1 + LITTLE_SHARE


def judge_cpu(row, rounds):
    target, tree = is_much(rounds, "target"), is_much(rounds, "tree")
    little = "heaptrack adds too little, or is not there"
    bound = min(row.bounds.get("target", EVERY_ROW), EVERY_ROW)
    yield Verdict("record: target's added CPU of heaptrack's target",
                  median(rounds, share("record", "target", "target")), bound, target, little)
    yield Verdict("record: tree's added CPU of heaptrack's tree", median(rounds, share("record", "tree", "tree")),
                  EVERY_ROW, tree, little)
    yield Verdict("by hand: target's added CPU of heaptrack's tree", median(rounds, share("hand", "target", "tree")),
                  EVERY_ROW, tree, little)
    if "times" in row.bounds:
        yield Verdict("record: target's CPU of native", median(rounds, ratio("record", "target")), row.bounds["times"])


def judge_wall(row, rounds):
    def figure(r):
        return ratio("record", "wall")(r) / ratio("record", "target")(r)
    foreign = max(median(rounds, lambda r, m=m: r[m].foreign) for m in ("native", "record"))
    native = median(rounds, lambda r: r["native"].target)
    yield Verdict("record: wall against what the target's CPU says", median(rounds, figure), WALL_FACTOR,
                  row.threads == 1 and foreign < QUIET_CORES and native > LITTLE_SECONDS,
                  "others took %.2f cores" % foreign if row.threads == 1 and native > LITTLE_SECONDS
                  else "too short, or threads")


def judge_memory(row, rounds):
    bound = MEMORY_BYTES + MEMORY_THREAD_BYTES * row.threads
    for mode, name in ("hand", "by hand"), ("record", "record"):
        if mode == "hand" or row.runs == 1:
            yield Verdict(name + ": MB added to the target",
                          median(rounds, lambda r, m=mode: added(m, "resident")(r) / 1e6), bound / 1e6)


def judge_bytes(row, sizes):
    if not sizes.get("calls") or not sizes.get("heaptrack"):
        return
    calls, peer = sizes["calls"], sizes["heaptrack"]
    factor = row.bounds.get("bytes", 2.0 if row.threads == 1 else 3.0)
    bound = factor * peer / calls
    if "bytes" not in row.bounds:
        bound = max(bound, BYTES_ALWAYS)
    for mode in "hand", "record":
        yield Verdict("%s: bytes a call" % mode, sizes[mode] / calls, bound)
    compact = sizes.get("compact")
    yield Verdict("compact --drop: bytes of heaptrack's", compact / peer if compact else None, 1.0,
                  why="there is no compact")


def judge_analysis(row, costs, peak_blocks):
    """What its user waits for counts, but only says something where nobody else wants the processors; CPU always
    does, of which a second processor takes a part."""
    if not row.bounds.get("analysis") or not costs:
        return
    takens = [taken for pair in costs for taken in pair]
    foreign = sum(t.foreign * t.wall for t in takens) / sum(t.wall for t in takens)  # ticks are coarse
    yield Verdict("summary: wall of heaptrack_print's", statistics.median(o.wall / p.wall for o, p in costs),
                  ANALYSIS_SHARE, foreign < QUIET_CORES, "others took %.2f cores" % foreign)
    yield Verdict("summary: CPU of heaptrack_print's", statistics.median(o.target / p.target for o, p in costs),
                  ANALYSIS_SHARE, False, "the bound is one of wall time")
    yield Verdict("summary: MB", max(ours.resident for ours, _ in costs) / 1e6,
                  (ANALYSIS_BYTES + ANALYSIS_BLOCK_BYTES * peak_blocks) / 1e6)


def judge(row, result):
    """All verdicts of a row; result: rounds, sizes, costs, peak_blocks."""
    rounds = result["rounds"]
    verdicts = []
    if row.bounds.get("startup"):
        verdicts += [Verdict("by hand: ms added to a start", median(rounds, lambda r: 1e3 * added("hand", "tree")(r)),
                             1e3 * STARTUP_HAND),
                     Verdict("record: ms added to a start", median(rounds, lambda r: 1e3 * added("record", "tree")(r)),
                             1e3 * STARTUP_RECORD)]
    else:
        verdicts += judge_cpu(row, rounds)
        verdicts += judge_wall(row, rounds)
    verdicts += judge_memory(row, rounds)
    verdicts += judge_bytes(row, result["sizes"])
    verdicts += judge_analysis(row, result["costs"], result["peak_blocks"])
    return verdicts
