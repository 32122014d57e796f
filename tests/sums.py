# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether every table of every view adds up to its headline, summed here from the JSON, and whether the text has the
same figures, with all rows and with the rest of them in one."""
import collections
import json
import os
import re

from xtest import METRICS, REPORT, check, check_equal, report, run, temp

RULES = {"schema": "xalloc-groups/1", "groups": [
    {"name": "even", "any": ["/[bdfhjlnprtvxz]$/"]}, {"name": "odd", "any": ["leaf:/[acegikmoqsuwy]/"]}]}
GROUP_KEYS = ("peak_bytes", "peak_blocks", "allocation_calls", "allocated_bytes", "temporary_calls", "leaked_bytes",
              "leaked_calls")
PHASE_SUMS = {"allocation_calls": "allocation_calls", "allocated_bytes": "allocated_bytes",
              "temporary_calls": "temporary_calls", "leaked_calls": "leaked_calls", "leaked_bytes": "leaked_bytes",
              "bytes_at_peak": "peak_bytes", "blocks_at_peak": "peak_blocks"}
FREE_SUMS = ("free_calls", "foreign_frees", "failed_calls", "untracked_calls", "untracked_frees")
GROWTH_KEYS = ("reallocs_in_place", "reallocs_moved", "moved_bytes", "replaced", "replaced_bytes", "series",
               "other_reallocs", "copied_bytes")
SOME = 3  # --top: the others are one row


def numbers(line):
    """The whole numbers of a line of text, without what is said a second time: (8.2 MiB), 12.5 %."""
    line = re.sub(r"\([^)]*\)|[<\d.]+ %", "", line)
    return [int(found.replace(",", "")) for found in re.findall(r"(?<![\w.:])\d+(?:,\d{3})*(?![\w.%]|,\d)", line)]


def total(rows, key):
    return sum(row[key] for row in rows)


class Views:
    """Of one trace. what: its name, in messages."""

    def __init__(self, trace, what, options=()):
        self.trace, self.what, self.options = trace, what, list(options)
        self.totals = json.loads(report("summary", "--json", *self.options, trace))["totals"]
        self.tables = 0

    def json(self, *command, top="0"):
        self.tables += 1
        return json.loads(report(*command, "--json", "--top", str(top), *self.options, self.trace))

    def text(self, *command, top="0"):
        return report(*command, "--top", str(top), *self.options, self.trace).splitlines()

    def equal(self, got, expected, what):
        check_equal(got, expected, "%s: %s" % (self.what, what))

    def sums(self, rows, expected, what):
        """expected: of a key of each row what all come to."""
        for key, value in expected.items():
            self.equal(total(rows, key), value, "%s: sum of %s" % (what, key))

    def has_rows(self, lines, rows, what):
        """Lines with exactly these numbers follow each other in the text, perhaps with others between."""
        left = iter([numbers(line) for line in lines])
        for row in rows:
            if not check(any(found == row for found in left), "%s: %s: no line with %r in its place" % (
                    self.what, what, row)):
                return

    def summary(self):
        for top in (0, SOME):
            got = self.json("summary", top=top)
            totals, rows, lines = got["totals"], [], self.text("summary", top=top)
            self.equal(totals, self.totals, "totals of summary")
            for metric, keys, heads in (("peak", ("bytes", "blocks"), ("peak_bytes", "peak_blocks")),
                                        ("calls", ("calls",), ("allocation_calls",)),
                                        ("leaked", ("bytes", "blocks"), ("leaked_bytes", "leaked_calls")),
                                        ("temporary", ("calls",), ("temporary_calls",))):
                stacks = got["stacks"][metric]
                rest = [totals[head] - total(stacks, key) for key, head in zip(keys, heads)]
                if not top:
                    self.equal(rest, [0] * len(keys), "summary: what %s stacks leave over" % metric)
                rows += [[stack[key] for key in keys] for stack in stacks] + ([rest] if any(rest) else [])
            self.has_rows(lines, rows, "summary --top %d" % top)
        self.equal(sum(got["by_function"].values()), totals["allocation_calls"], "by_function")
        self.equal(totals["freed_blocks"] + totals["realloc_frees"] + totals["unseen_frees"] + totals["leaked_calls"],
                   totals["allocation_calls"], "how blocks ended")
        if not self.options:
            full = self.json("summary")["mappings"]
            self.sums(full["stacks"], {"calls": full["calls"], "mapped_bytes": full["mapped_bytes"],
                                       "unmapped_bytes": full["unmapped_bytes"], "live_bytes": full["live_bytes"],
                                       "bytes_at_highest": full["highest_mapped_bytes"]}, "mappings")

    def folded(self):
        for metric, head in METRICS.items():
            got, lines = self.json("folded", "--metric", metric), self.text("folded", "--metric", metric)
            self.equal(got["total"], self.totals[head], "folded %s: headline" % metric)
            self.equal(total(got["stacks"], "weight") + got["other_weight"], got["total"], "folded %s" % metric)
            shown, expected = collections.Counter(), collections.Counter()
            for line in lines:
                stack, _, weight = line.rpartition(" ")
                shown[stack] += int(weight)
            for stack in got["stacks"]:
                names = [frame["function"].replace(";", ":").replace("\n", " ") for frame in reversed(stack["frames"])]
                expected[";".join(names)] += stack["weight"]
            check(shown == expected, "%s: folded %s: text and JSON differ in %r" % (
                self.what, metric, list(((shown - expected) + (expected - shown)).items())[:3]))

    def groups(self):
        path = temp("sums-rules.json")
        with open(path, "w") as file:
            json.dump(RULES, file)
        got, lines = self.json("groups", "--rules", path), self.text("groups", "--rules", path)
        self.sums(got["groups"], {key: self.totals[key] for key in GROUP_KEYS}, "groups")
        self.has_rows(lines, [[group[key] for key in GROUP_KEYS] for group in got["groups"] + [self.totals]], "groups")

    def phases(self):
        got = self.json("phases", "--mark-function", "/a/", "--mark-function", "/[b-m]/")
        lines = self.text("phases")
        self.sums(got["phases"], {key: self.totals[head] for key, head in PHASE_SUMS.items()}, "phases")
        self.sums(got["functions"], {key: self.totals[head] for key, head in PHASE_SUMS.items()}, "functions")
        if not self.options:
            self.sums(got["phases"], {key: self.totals[key] for key in FREE_SUMS}, "phases")
        keys = ("allocation_calls", "allocated_bytes", "temporary_calls", "free_calls", "peak_bytes", "bytes_at_peak",
                "leaked_bytes")
        self.has_rows(lines, [[phase[key] for key in keys] for phase in got["phases"]], "phases")

    def sizes(self):
        heads = {"calls": "allocation_calls", "bytes": "allocated_bytes", "peak_bytes": "peak_bytes",
                 "peak_blocks": "peak_blocks"}
        expected = {key: self.totals[head] for key, head in heads.items()}
        for top in (0, SOME):
            got, lines = self.json("sizes", top=top), self.text("sizes", top=top)
            self.sums(got["classes"], expected, "sizes: classes")
            rest = [value - total(got["sizes"], key) for key, value in expected.items()]
            if not top:
                self.equal(rest, [0] * 4, "sizes: what they leave over")
            for key in ("slack_at_peak", "slack_of_calls"):
                self.equal(total(got["stacks"], key) + got["other"][key], got[key], "sizes: " + key)
            rows = [[row["least"]] + [row["most"]] * (row["most"] > row["least"]) + [row[key] for key in heads]
                    for row in got["classes"]]
            rows += [[row[key] for key in ("size", *heads)] for row in got["sizes"]] + ([rest] if any(rest) else [])
            if got["has_slack"]:
                rows += [[row["slack_at_peak"], row["slack_of_calls"]] for row in got["stacks"]]
            self.has_rows(lines, rows, "sizes --top %d" % top)

    def lifetimes(self):
        ended = sum(self.totals[key] for key in ("freed_blocks", "realloc_frees", "unseen_frees"))
        for top in (0, SOME):
            got, lines = self.json("lifetimes", top=top), self.text("lifetimes", top=top)
            self.equal((got["ended"]["blocks"], got["live"]["blocks"]), (ended, self.totals["leaked_calls"]),
                       "lifetimes: blocks that ended and that live")
            self.equal((got["live"]["bytes"], got["ended"]["bytes"] + got["live"]["bytes"]),
                       (self.totals["leaked_bytes"], self.totals["allocated_bytes"]), "lifetimes: their bytes")
            for table in ("by_calls", "by_bytes"):
                self.sums(got[table], got["ended"], "lifetimes: " + table)
            for key, value in (("ended_blocks", ended), ("live_blocks", self.totals["leaked_calls"]),
                               ("bytes", self.totals["allocated_bytes"])):
                self.equal(total(got["stacks"], key) + got["other"][key], value, "lifetimes: sum of " + key)
            rows = [[row["least"]] + [row["most"]] * (row["most"] > row["least"]) + [row["blocks"], row["bytes"]]
                    for table in ("by_calls", "by_bytes") for row in got[table]]
            rows += [[row["ended_blocks"]] + [row["live_blocks"]] * (row["live_blocks"] > 0) for row in got["stacks"]
                     if row["ended_blocks"]]
            self.has_rows(lines, rows, "lifetimes --top %d" % top)

    def growth_copies(self):
        for top in (0, SOME):
            got, lines = self.json("growth-copies", top=top), self.text("growth-copies", top=top)
            for key in GROWTH_KEYS:
                self.equal(total(got["stacks"], key) + got["other"][key], got["all"][key], "growth-copies: " + key)
            self.equal(got["all"]["reallocs_in_place"] + got["all"]["reallocs_moved"] + got["all"]["replaced"],
                       got["all"]["saved_calls"], "growth-copies: steps")
            rows = []
            for row in got["stacks"]:
                steps = row["reallocs_in_place"] + row["reallocs_moved"] + row["replaced"]
                rows.append([row["copied_bytes"], steps, row["series"], row["reallocs_in_place"],
                             row["reallocs_moved"], row["replaced"]])
                rows[-1] += [row["other_reallocs"]] * (row["other_reallocs"] > 0)
            self.has_rows(lines, rows, "growth-copies --top %d" % top)

    def threads(self):
        got, lines = self.json("threads"), self.text("threads")
        kinds = ("own", "lent", "left")
        heads = {"blocks": "allocation_calls", "bytes": "allocated_bytes"}
        for unit, head in heads.items():
            self.equal(total(got["threads"], head), self.totals[head], "threads: sum of " + head)
            for row in got["threads"]:
                self.equal(sum(row["%s_%s" % (kind, unit)] for kind in kinds), row[head],
                           "threads: %s of thread %d" % (unit, row["thread"]))
            pairs = total(got["pairs"], unit)
            self.equal([total(got["threads"], kind + unit) for kind in ("lent_", "taken_")], [pairs, pairs],
                       "threads: pairs, " + unit)
        self.equal(total(got["threads"], "left_blocks"), self.totals["leaked_calls"] + self.totals["unseen_frees"],
                   "threads: blocks that are left")
        keys = [head for head in heads.values()]
        keys += ["%s_%s" % (kind, unit) for kind in ("own", "lent", "taken", "left") for unit in heads]
        rows = [[row["thread"]] + [row[key] for key in keys] for row in got["threads"]]
        rows.append([total(got["threads"], key) for key in keys])
        rows += [[row[key] for key in ("from", "to", "blocks", "bytes")] for row in got["pairs"]]
        # a name may have digits
        self.has_rows([re.sub(r"^((?: +[\d,]+){11})  .*", r"\1", line) for line in lines], rows, "threads")

    def timeline(self):
        got, lines = self.json("timeline"), self.text("timeline")
        points = got["points"]
        self.equal(points[-1]["last_bytes"], self.totals["leaked_bytes"], "timeline: bytes at its end")
        self.equal(points[-1]["last_blocks"], self.totals["leaked_calls"], "timeline: blocks at its end")
        self.equal(max(point["most_bytes"] for point in points), got["highest"]["bytes"], "timeline: the highest")
        at = points[got["highest"]["point"]]
        self.equal((at["most_bytes"], at["most_blocks"]), (got["highest"]["bytes"], got["highest"]["blocks"]),
                   "timeline: where it is highest")
        if not self.options:
            self.equal((got["highest"]["bytes"], got["highest"]["blocks"]),
                       (self.totals["peak_bytes"], self.totals["peak_blocks"]), "timeline: the peak")
        for before, point in zip(points, points[1:]):
            check(point["least_bytes"] <= before["last_bytes"] <= point["most_bytes"],
                  "%s: timeline: a point begins where the last ended: %r, %r" % (self.what, before, point))
        check(any(line.startswith("highest") and numbers(line)[:2] == [got["highest"]["bytes"], got["highest"]["blocks"]]
                  for line in lines), "%s: timeline: the highest in the text" % self.what)

    def diff(self, other=None):
        """With itself, or with another trace of the program."""
        pair = [self.trace, other or self.trace]
        done = run([REPORT, "diff", "--json", "--top", "0", *self.options, *pair])
        text = run([REPORT, "diff", "--top", "0", *self.options, *pair]).stdout.decode().splitlines()
        if not check(done.returncode == 0, "%s: diff: %r" % (self.what, done.stderr[-300:])):
            return
        self.tables += 1
        got = json.loads(done.stdout)
        totals = [json.loads(report("summary", "--json", *self.options, trace))["totals"] for trace in pair]
        for row in got["totals"]:
            values = [totals[side][row["name"]] for side in (0, 1)]
            self.equal([row["old"]["median"], row["new"]["median"], row["change"]], values + [values[1] - values[0]],
                       "diff: " + row["name"])
        self.has_rows(text, [[row["old"]["median"], row["new"]["median"]] + [abs(row["change"])] * (row["change"] != 0)
                             for row in got["totals"]], "diff")
        for table in got["tables"]:
            old, new = (side[METRICS[table["metric"]]] for side in totals)
            what = "diff: table of " + table["metric"]
            changes = [stack["change"] for stack in table["stacks"]]
            self.equal(old + table["grown"], new + table["shrunk"], what)
            self.equal((sum(change for change in changes if change > 0) + table["other_grown"],
                        -sum(change for change in changes if change < 0) + table["other_shrunk"]),
                       (table["grown"], table["shrunk"]), what + ": changes")
            if not other:
                self.equal((table["grown"], table["shrunk"], table["changed_stacks"]), (0, 0, 0), what + " with itself")

    def all(self):
        for view in (self.summary, self.folded, self.groups, self.phases, self.sizes, self.lifetimes,
                     self.growth_copies, self.threads, self.timeline, self.diff):
            view()
        print("%s: %d tables, %d calls, %d bytes at the peak" % (
            self.what, self.tables, self.totals["allocation_calls"], self.totals["peak_bytes"]))
