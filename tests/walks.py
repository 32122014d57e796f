# SPDX-License-Identifier: GPL-3.0-or-later
"""Running programs under the oracle of the unwinder (tests/oracle/compare.h) and reading what it found."""
import os
import re

from xtest import BUILD, TMP, check, check_equal, clean_environment, run, skip, temp

ORACLE = os.path.join(BUILD, "test", "libxalloc-oracle.so")
SEED = int(os.environ.get("XALLOC_TEST_SEED") or 1)
SHOWN = 40  # lines of what the oracle said


class Found:
    """What the oracle said of one run: the last counts of each process, and its text."""

    def __init__(self, done, text):
        self.done, self.text, self.processes = done, text, {}
        for line in text.splitlines():
            match = re.fullmatch(r"(\S.*): pid ([0-9]+) (seen [0-9]+ .*)", line)
            if match:
                words = match[3].split()
                counts = dict(zip(words[::2], map(int, words[1::2])))
                self.processes[int(match[2])] = dict(counts, name=match[1])

    def count(self, word, name=None):
        """Summed over the processes, or those of that name."""
        return sum(p[word] for p in self.processes.values() if name in (None, p["name"]))

    def show(self):
        for line in self.text.splitlines()[:SHOWN]:
            print("  | " + line)


def compare(argv, every=1, library=ORACLE, env=None, timeout=100):
    if not os.path.exists(library):
        skip("not built: " + library)
    out = temp("oracle.txt")
    if os.path.exists(out):
        os.unlink(out)
    more = dict(env or {})
    preload = ":".join(filter(None, [more.pop("LD_PRELOAD", ""), library]))
    done = run(argv, timeout=timeout, env=clean_environment(
        LD_PRELOAD=preload, XALLOC_OUT=os.path.join(TMP, "%e.%p.zst"), ORACLE_OUT=out,
        ORACLE_EVERY=every, ORACLE_SEED=SEED, **more))
    text = ""
    if os.path.exists(out):
        with open(out, errors="replace") as file:
            text = file.read()
    for name in os.listdir(TMP):
        if name.endswith(".zst"):
            os.unlink(temp(name))
    if "no libunwind-x86_64.so.8" in text:
        skip("no libunwind-x86_64.so.8")
    return Found(done, text)


def check_same(found, what, least=0, short=0, no_cfi=0, name=None):
    """No stack differs, none that was to be compared was not, and at least so many were. short, no_cfi: how many
    are to end early for which reason."""
    good = [
        check_equal(found.count("different"), 0, what + ": stacks that differ"),
        check(not re.search(r": frame [0-9]+: ", found.text), what + ": a stack differs"),
        check_equal(found.count("missed"), 0, what + ": events that could not be compared"),
        check_equal(found.count("short"), short, what + ": stacks that end where libunwind goes on"),
        check_equal(found.count("no-cfi"), no_cfi, what + ": stacks that end without unwind information"),
        check(found.count("compared", name) >= least,
              "%s: %d compared, at least %d wanted" % (what, found.count("compared", name), least)),
    ]
    if not all(good):
        found.show()
