# SPDX-License-Identifier: GPL-3.0-or-later
"""What the two tests of `groups` share: random rules over all kinds of traces and a second evaluation of them, by the
frames of a summary; names full of arguments; the manual's examples."""
import glob
import json
import os
import random
import re
import shlex

from programs import need, recorded_programs
from xtest import BUILD, REPORT, ROOT, check, check_equal, fail, record, report, run, temp

FIGURES = ("peak_bytes", "peak_blocks", "allocation_calls", "allocated_bytes", "temporary_calls", "leaked_bytes",
           "leaked_calls")
# figure: the list of a summary that has it, and its key there
LISTS = {"peak_bytes": ("peak", "bytes"), "peak_blocks": ("peak", "blocks"), "allocation_calls": ("calls", "calls"),
         "allocated_bytes": ("calls", "bytes"), "temporary_calls": ("temporary", "calls"),
         "leaked_bytes": ("leaked", "bytes"), "leaked_calls": ("leaked", "blocks")}
BUILTIN = ["std", "libc-io", "python", "rust-std"]
seed = int(os.environ.get("XALLOC_TEST_SEED") or random.randrange(1 << 32))
choose = random.Random(seed)
print("seed %d" % seed)


def write_rules(path, groups, include=()):
    with open(path, "w") as file:
        json.dump({"schema": "xalloc-groups/1", "groups": groups, "include": list(include)}, file)
    return path


def groups_of(trace, rules, *options):
    return json.loads(report("groups", "--json", "--rules", rules, *options, trace))


def check_sums(value, what):
    """The groups add up to the totals, with what is suppressed."""
    taken = value.get("suppressions", {"bytes": 0, "blocks": 0})
    for figure in FIGURES:
        more = {"leaked_bytes": taken["bytes"], "leaked_calls": taken["blocks"]}.get(figure, 0)
        check_equal(sum(g[figure] for g in value["groups"]) + more, value["totals"][figure],
                    "%s: sum of %s" % (what, figure))
    check_equal(value["groups"][-1]["name"], "other", what + ": the last group")


# --- the second evaluation


def is_plain(name):
    """A function's, without what a compiler puts behind it."""
    return re.fullmatch(r"[A-Za-z_]\w*", name)


def run_of(text, part, separator):
    whole, wanted = text.split(separator), part.split(separator)
    return any(whole[i:i + len(wanted)] == wanted for i in range(len(whole)))


def whole_of(frame, kind):
    return frame["file" if "file:" in kind else "module" if "module:" in kind else "function"]


def matches(pattern, frames):
    if isinstance(pattern, dict):  # {"leaf:file:": [texts]}
        (kind, texts), = pattern.items()
        some = frames[:1] if kind.startswith("leaf:") else frames[-1:] if kind.startswith("root:") else frames
        return any(whole_of(frame, kind) in texts for frame in some)
    kind, text = re.fullmatch(r"((?:leaf:|root:)?(?:file:|module:|full:)?)(.*)", pattern, re.S).groups()
    if kind.startswith(("leaf:", "root:")):
        frames = frames[:1] if kind.startswith("leaf:") else frames[-1:]
    for frame in frames:
        if "full:" in kind:
            hit = text in frame["function"]
        elif "file:" in kind:
            hit = run_of(frame["file"], text, "/")
        elif "module:" in kind:
            hit = run_of(frame["module"], text, "/")
        elif text.startswith("/"):
            hit = re.search(text[1:-1], frame["function"])
        else:
            hit = frame["function"] == text
        if hit:
            return True
    return False


def fits(group, frames):
    return (all(matches(p, frames) for p in group.get("all", ()))
            and ("any" not in group or any(matches(p, frames) for p in group["any"]))
            and not any(matches(p, frames) for p in group.get("none", ())))


def expected(groups, summary):
    sums = [dict.fromkeys(FIGURES, 0) for _ in range(len(groups) + 1)]
    for figure, (metric, key) in LISTS.items():
        for stack in summary["stacks"][metric]:
            frames = stack["frames"]
            at = stack.setdefault("group", next((i for i, g in enumerate(groups) if fits(g, frames)), len(groups)))
            sums[at][figure] += stack[key]
    return sums


def random_pattern(frames, is_c, with_files):
    frame = choose.choice(frames)
    kinds = ["full:" + frame["function"][:choose.randint(3, 30)]]
    if is_c and is_plain(frame["function"]):
        kinds += [frame["function"], "leaf:" + frame["function"], "root:" + frame["function"], frame["function"]]
        kinds += ["/^%s/" % frame["function"][:choose.randint(1, 6)]]
    if with_files and frame["file"]:
        kinds += ["file:" + os.path.basename(frame["file"])]
    if with_files and frame["module"].startswith("/"):
        kinds += ["module:" + os.path.basename(frame["module"]), "leaf:module:" + os.path.basename(frame["module"])]
    if not choose.randrange(4):  # whole texts of several frames, and one that none has
        kind = choose.choice(["", "leaf:", "root:"]) + choose.choice(["full:", "file:", "module:"] if with_files else ["full:"])
        some = choose.sample(frames, min(len(frames), choose.randrange(4)))
        return {kind: [text for text in [whole_of(f, kind) for f in some] + ["none such"] if text]}
    pattern = choose.choice(kinds)
    return pattern if len(pattern.split(":")[-1]) > 1 else "main"


def random_groups(summary, is_c, with_files, count):
    frames = [f for stacks in summary["stacks"].values() for s in stacks for f in s["frames"]]
    groups = []
    for i in range(count if frames else 0):
        group = {"name": "group %d" % i}
        for key, chance, most in (("all", 0.6, 2), ("any", 0.5, 3), ("none", 0.3, 2)):
            if choose.random() < chance:
                group[key] = [random_pattern(frames, is_c, with_files) for _ in range(choose.randint(1, most))]
        if len(group) > 1:
            groups.append(group)
    return groups


def check_trace(trace, what, is_c=True, with_files=False, count=12):
    summary = json.loads(report("--json", "--top", "0", trace))
    groups = random_groups(summary, is_c, with_files, count)
    rules = write_rules(temp("random.json"), groups, BUILTIN)
    value = groups_of(trace, rules)
    check_sums(value, what)
    for figure in FIGURES:
        check_equal(value["totals"][figure], summary["totals"][figure], "%s: %s" % (what, figure))
    sums = expected(groups, summary)
    for group, want, got in zip(groups, sums, value["groups"]):
        check_equal({f: got[f] for f in FIGURES}, want, "%s: %s" % (what, json.dumps(group)))
    return len(groups), sum(g["stacks"] for g in value["groups"][:len(groups)])


# --- what is recorded


def controls(part=1):
    """One in `part` of them, both levels together."""
    taken = rules = 0
    found = sorted(glob.glob(os.path.join(BUILD, "controls", "*.O?")))
    for program in choose.sample(found, len(found) // part):
        trace = temp("control.zst")
        record([program], trace)
        if not os.path.exists(trace):
            continue
        counts = check_trace(trace, os.path.basename(program), with_files=True)
        rules, taken = rules + counts[0], taken + counts[1]
        os.unlink(trace)
    print("controls: %d rules, %d stacks in their groups" % (rules, taken))
    check(taken > 100 / part, "random rules took only %d stacks of controls" % taken)


def programs(rules=12):
    for name, trace in recorded_programs():
        print(name, "%d rules, %d stacks" % check_trace(trace, name, is_c=name not in ("cc1plus", "rg"), count=rules))


# --- names and arguments

# plain or regular: sizes of tests/groups/templates.cc that belong there
ALL = (1 << 20) - 16
NAMES = {
    "Entry": 1 << 4 | 1 << 5, "app::Entry": 1 << 4 | 1 << 5, "Entry::Entry": 1 << 4, "EntryList": 1 << 6,
    "/Entry::/": 1 << 4 | 1 << 5, "/^app::Entry/": 1 << 4 | 1 << 5 | 1 << 6,
    "Table": sum(1 << i for i in range(7, 12)), "app::Table::assign": 1 << 8, "operator app::Entry": 1 << 9,
    "operator<": 1 << 10, "operator->": 1 << 11, "by_value": 1 << 12, "by_pointer": 1 << 13, "app::make": 1 << 14,
    "find": 1 << 15, "variadic": 1 << 16, "(anonymous namespace)::hidden": 1 << 17, "operator()": 1 << 18,
    "call": 1 << 18, "app": (1 << 18) - 16, "main": ALL, "lambda": 0, "T": 0, "char": 0, "3": 0,
    "leaf:call": 0, "leaf:operator()": 1 << 18, "root:call": 0, "root:main": ALL,
    "full:(app::Entry)": 1 << 12 | 1 << 13,
    "full:/<app::Entry>.*Entry/": sum(1 << i for i in (7, 8, 9, 10, 14, 15, 16, 18)),
    "file:groups/templates.cc": ALL, "file:templates": 0, "module:templates.O0": None,
    "folded_in": 1 << 19, "leaf:folded_in": 1 << 19, "folded_around": 1 << 19, "leaf:folded_around": 0,
}


def templates(levels=("-O0", "-O2")):
    compiler, = need("g++")
    for level in levels:
        program = temp("templates" + level.replace("-", "."))
        done = run([compiler, "-std=c++17", "-g", level, "-fno-builtin", "-fno-optimize-sibling-calls", "-fno-ipa-icf",
                    "-o", program, os.path.join(ROOT, "tests", "groups", "templates.cc")])
        if done.returncode:
            fail("templates.cc: %r" % done.stderr)
        trace = program + ".zst"
        record([program], trace)
        for pattern, size in NAMES.items():
            if size is None:
                size = ALL if level == "-O0" else 0
            value = groups_of(trace, write_rules(temp("one.json"), [{"name": "it", "any": [pattern]}]))
            check_equal(value["groups"][0]["leaked_bytes"], size, "templates %s: %s" % (level, pattern))
            check_sums(value, "templates %s: %s" % (level, pattern))
        suppressions(trace, level)


def suppressions(trace, level):
    """What LeakSanitizer's rules say of the same program: the whole text counts, the innermost frame decides."""
    path = temp("leaks.supp")
    with open(path, "w") as file:
        file.write("leak:^main\n\nleak:lambda\nleak:(app::Entry)$\nleak:templates.cc\nleak:^app::Table*::insert\n")
    rules = write_rules(temp("one.json"), [{"name": "tables", "any": ["Table"]}])
    with open(temp("some.supp"), "w") as file:
        file.write("leak:operator\n")
    value = groups_of(trace, rules, "--suppress", temp("some.supp"), "--explain", "tables", "--metric", "leaked")
    check_equal((value["groups"][0]["leaked_bytes"], value["explain"]["total"]), (1 << 8 | 1 << 7,) * 2,
                "suppressions %s: a group without them, and its stacks" % level)
    value = groups_of(trace, rules, "--suppress", path)
    check_sums(value, "suppressions %s" % level)
    taken = [e["bytes"] for e in value["suppressions"]["entries"]]
    # main's lambda is the first line's; a function, wherever its line is, comes before the file
    rest = ALL - (1 << 18) - (1 << 12) - (1 << 7)
    check_equal(taken, [1 << 18, 0, 1 << 12, rest, 1 << 7], "suppressions %s" % level)
    check_equal(value["suppressions"]["remaining_bytes"], 0, "suppressions %s: what is left" % level)


# --- the manual


def manual():
    """Rules and commands as they stand in docs/groups.md, in a folder where walker.zst is."""
    with open(os.path.join(ROOT, "docs", "groups.md")) as file:
        text = file.read()
    folder = temp("manual")
    os.mkdir(folder)
    os.chdir(folder)
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S)
    with open("rules.json", "w") as file:
        file.write(next(block for kind, block in blocks if kind == "json"))
    record([os.path.join(BUILD, "controls", "walker.O2")], "walker.zst")
    examples = [block for _, block in blocks if block.startswith("$ ")]
    check(len(examples) >= 3, "docs/groups.md has %d examples" % len(examples))
    for block in examples:
        command, _, output = block[2:].partition("\n")
        check(command.startswith("xalloc-report "), "docs/groups.md: %s" % command)
        done = run(["sh", "-c", shlex.quote(REPORT) + command[len("xalloc-report"):]])
        check_equal(done.stdout.decode(), output, "docs/groups.md: " + command)
    os.chdir(ROOT)
