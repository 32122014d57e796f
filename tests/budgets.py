# SPDX-License-Identifier: GPL-3.0-or-later
"""A program with phases whose figures follow from its source, budgets, and checks of them."""
import json
import os

from xtest import REPORT, ROOT, TMP, check_equal, run, temp

# start: TABLES tables of 100 bytes that stay until the end, TURNS times 20 temporary blocks of 10 bytes.
# serve: 3 blocks that are kept until its end, 1, 2 and 5 bytes; 10 turns: two temporary blocks, one of 5 bytes that stays.
PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "preload/xalloc.h"
#ifndef TABLES
#define TABLES 10
#endif
#ifndef TURNS
#define TURNS 1
#endif
#ifndef PEAK_MORE
#define PEAK_MORE 0
#endif
#ifndef END
#define END (void *)0
#endif
#define SITE __attribute__((noinline, noclone))
static void *volatile kept[100];
static volatile int count;
#ifdef REORDERED
static SITE void unrelated(void) { count += 0; }
SITE void churn(int n);
SITE void serve(int turns);
SITE void answer(void);
SITE void begin_serving(void);
SITE void serve(int turns)
{
	unrelated();
	begin_serving();
	for (int i = 0; i < turns; i++) {
		xalloc_iteration();
		answer();
		unrelated();
	}
}
#endif
SITE void build_table(int more)
{
	void *p = malloc((size_t)(100 + more)); /* table */
	kept[count++] = p;
}
SITE void build_tables(void)
{
	for (int i = 0; i < TABLES; i++)
		build_table(i ? 0 : PEAK_MORE);
}
SITE void churn(int n)
{
	for (int i = 0; i < n; i++) {
		void *volatile p = malloc(10); /* churn */
		free(p);
	}
}
SITE void begin_serving(void)
{
	static const size_t sizes[] = { 1, 2, 5 };
	void *volatile block[3];
	for (int i = 0; i < 3; i++)
		block[i] = malloc(sizes[i]); /* begin */
	for (int i = 0; i < 3; i++)
		kept[90 + i] = block[i];
}
SITE void answer(void)
{
	static const size_t sizes[] = { 3, 3, 5 };
	for (int i = 0; i < 3; i++) {
		void *volatile p = malloc(sizes[i]); /* answer */
		if (i < 2)
			free(p);
	}
}
#ifndef REORDERED
SITE void serve(int turns)
{
	begin_serving();
	for (int i = 0; i < turns; i++) {
		xalloc_iteration();
		answer();
	}
}
#endif
int main(int argc, char **argv)
{
	build_tables();
	for (int i = 0; i < TURNS; i++)
		churn(20);
	if (argc > 1 && !strcmp(argv[1], "wait")) {
		write(1, "x", 1);
		sleep(60);
	}
	xalloc_mark("serve");
	serve(10);
	xalloc_mark("end");
	for (int i = 0; i < 3; i++)
		free(kept[90 + i]);
	kept[95] = END;
	return 0;
}
"""
RULES = {"schema": "xalloc-groups/1", "groups": [{"name": "tables", "all": ["build_tables"]},
                                                 {"name": "serving", "all": ["serve"]}]}

_built = {}


def build(name, *flags):
    """One program, whatever build: each in a folder of its own."""
    if (name, flags) in _built:
        return _built[name, flags]
    place = os.path.join(temp(name + "-" + str(len(_built))))
    os.makedirs(place)
    with open(os.path.join(place, "program.c"), "w") as file:
        file.write(PROGRAM)
    done = run(["gcc", "-g", "-O1", "-fno-builtin", "-fno-optimize-sibling-calls", "-Wl,--build-id", "-w", "-I", ROOT,
                *flags, "-o", os.path.join(place, "program"), os.path.join(place, "program.c")])
    check_equal(done.returncode, 0, "gcc %s: %s" % (flags, done.stderr.decode()))
    _built[name, flags] = os.path.join(place, "program")
    return _built[name, flags]


def write_budget(name, limits, **more):
    path = os.path.join(TMP, name)
    with open(path, "w") as file:
        json.dump({"schema": "xalloc-budget/1", **more, "limits": limits}, file)
    return path


def limits_of(path):
    with open(path) as file:
        return json.load(file)["limits"]


def check_budget(budget, *args, status=0):
    """The JSON of a check that must end in that status."""
    done = run([REPORT, "check", "--json", "--budget", budget, *args])
    check_equal(done.returncode, status, "check %s %s: %s" % (budget, args, done.stderr.decode()))
    got = json.loads(done.stdout)
    check_equal(got["verdict"], {0: "pass", 1: "fail"}.get(status, "not comparable"), "verdict of %s" % (args,))
    return got
