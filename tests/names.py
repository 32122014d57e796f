# SPDX-License-Identifier: GPL-3.0-or-later
"""What the analyzer calls addresses, against eu-addr2line and llvm-symbolizer: names.test, names.long.

Frames are (function, file, line), the innermost first; functions as their symbols are. docs/symbols.md lists the
differences that there are; what else differs is a failure."""
import collections
import json
import os
import random
import re
import shutil

from xtest import BUILD, ROOT, check, check_equal, fail, run, temp

SYMBOLIZE = os.path.join(BUILD, "test", "symbolize")
SOURCES = os.path.join(ROOT, "tests", "names")
UNKNOWN = re.compile(r"[^/]+\+0x[0-9a-f]+$")
SUFFIXES = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|llvm|localalias|\d+))+$")


def addresses(path, count, rng):
    """Of code, each byte as likely as the others."""
    sections = []
    for line in run(["readelf", "-SW", path]).stdout.decode().splitlines():
        found = re.match(r"\s*\[\s*\d+\] \.text\s+PROGBITS\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)", line)
        if found:
            sections.append((int(found[1], 16), int(found[2], 16)))
    if len(sections) != 1:
        fail("%s has %d sections of code" % (path, len(sections)))
    start, size = sections[0]
    return [start + rng.randrange(size) for _ in range(count)]


def ask(argv, asked):
    done = run(argv, input="".join("0x%x\n" % a for a in asked).encode(), timeout=1500, stdin=None)
    # eu-addr2line says 1 of a file without DWARF
    check(done.returncode in (0, argv[0] == "eu-addr2line") and not done.stderr,
          "%s: %d, %s" % (" ".join(argv), done.returncode, done.stderr.decode()))
    return done.stdout.decode(errors="surrogateescape").splitlines()


def ours(path, asked):
    frames = []
    for line in ask([SYMBOLIZE, path], asked):
        if line.startswith("0x"):
            frames.append([])
        else:
            function, file, number = line.split("\t")
            frames[-1].append((function, file, int(number)))
    return frames


def elfutils(path, asked):
    """A function's line may go on with " inlined at" or " inlined from"."""
    frames, lines = [], iter(ask(["eu-addr2line", "-a", "-f", "-i", "-e", path], asked))
    for line in lines:
        if line.startswith("0x"):
            frames.append([])
            continue
        where = re.match(r"(.*?):(\d+)(:\d+)?$", next(lines))
        file = where[1] if where and where[1] != "??" else ""
        function = re.sub(r" inlined (at|from) .*", "", line)
        frames[-1].append(("" if function == "??" else function, file, int(where[2]) if where else 0))
    return frames


def llvm(path, asked):
    lines = ask(["llvm-symbolizer", "--obj=" + path, "--no-demangle", "--inlines", "--output-style=JSON"], asked)
    return [[(s["FunctionName"], s["FileName"], s["Line"]) for s in json.loads(line)["Symbol"]] for line in lines]


def symbols(path):
    """address: names of the symbol tables."""
    names = collections.defaultdict(set)
    for options in ([], ["-D"]):
        for line in run(["nm", *options, path]).stdout.decode(errors="surrogateescape").splitlines():
            fields = line.split()
            if len(fields) == 3 and fields[1] in "TtWwVviu":
                names[int(fields[0], 16)].add(fields[2].split("@")[0])
    aliases = {}
    for group in names.values():
        for name in group:
            aliases.setdefault(name, set()).update(group)
    return aliases


def same_function(mine, its, aliases):
    """DWARF has a linkage name, or one without scopes, to which we put them. Of several symbols at one address, and of
    the variants of a constructor, one is taken."""
    if mine == its or mine.endswith("::" + its) or its in aliases.get(mine, ()):
        return True
    mine, its = SUFFIXES.sub("", mine), SUFFIXES.sub("", its)
    if re.sub(r"([CD])[0-9](?=[EI])", r"\1", mine) == re.sub(r"([CD])[0-9](?=[EI])", r"\1", its):
        return True
    word = re.match(r"~?(\w+)", its)
    return bool(word) and mine.startswith("_Z") and (
        "%d%s" % (len(word[1]), word[1]) in mine or its.startswith("operator"))


def judge(mine, its, aliases):
    """None: the same; else in a word what differs."""
    if UNKNOWN.match(mine[0][0]):
        return None if not its[0][0] else "a name where we have none"
    if len(its) < len(mine) and len(its) == 1:
        return "no chain" if mine[0][1:] == its[0][1:] else "another line"
    if len(mine) != len(its):
        return "another chain"
    for m, i in zip(mine, its):
        if os.path.normpath(m[1]) != os.path.normpath(i[1]) and (m[1] or i[2]):
            return "another file"
        if m[2] != i[2]:
            return "another line"
        if not same_function(m[0], i[0], aliases):
            return "another function"
    return None


def compare(what, path, count, rng, elfutils_count=None):
    """All must be llvm-symbolizer's. eu-addr2line breaks off chains, and takes the inner of two calls whose ranges
    overlap: of what it tells else one in twenty may differ."""
    asked = addresses(path, count, rng)
    mine, aliases = ours(path, asked), symbols(path)
    check_equal(len(mine), count, what + ": answers")
    theirs = {}
    if shutil.which("llvm-symbolizer"):
        theirs["llvm"] = llvm(path, asked)
    some = asked[:elfutils_count]
    theirs["elfutils"] = elfutils(path, some) if some else []
    for tool, answers in theirs.items():
        kinds, wrong = collections.Counter(), 0
        spare = len(answers) // 20 + 3 if tool == "elfutils" else 0
        for at, (address, frames) in enumerate(zip(asked, answers)):
            kind = judge(mine[at], frames, aliases)
            kinds[kind or "same"] += 1
            if not kind or kind == "no chain" and tool == "elfutils":
                continue
            wrong += 1
            if wrong > spare and wrong <= spare + 3:
                check(False, "%s, 0x%x, %s: %s\n  ours %r\n  %s %r" % (what, address, tool, kind, mine[at], tool, frames))
        named = sum(not UNKNOWN.match(frames[0][0]) for frames in mine[:len(answers)])
        print("%s, %s: %s; %d named, %d with inlined frames" % (
            what, tool, ", ".join("%d %s" % (n, k) for k, n in sorted(kinds.items())), named,
            sum(len(frames) > 1 for frames in mine[:len(answers)])))
    return mine


def build(name, compiler, *options, source="shapes.cc"):
    path = temp(name.replace(" ", "-"))
    argv = [compiler, *options, "-o", path, os.path.join(SOURCES, source)]
    if source.endswith(".cc"):
        argv += ["-O2", "-pthread", "-Wl,--build-id=sha1"]
    done = run(argv, cwd=temp(""), timeout=300)
    if done.returncode:
        fail("%s: %s" % (name, done.stderr.decode()))
    return path


def has(tool):
    """rustup's rustc may be there with no compiler behind it."""
    return bool(shutil.which(tool)) and run([tool, "--version"]).returncode == 0


def of_the_system():
    libraries = [p for p in ("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib64/libstdc++.so.6") if os.path.exists(p)]
    python = os.path.realpath("/usr/bin/python3")
    return [("libstdc++", p) for p in libraries[:1]] + ([("python3", python)] if os.path.exists(python) else [])


def seeded():
    seed = int(os.environ.get("XALLOC_TEST_SEED") or random.randrange(1 << 30))
    print("XALLOC_TEST_SEED=%d" % seed)
    return random.Random(seed)
