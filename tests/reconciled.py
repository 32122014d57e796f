# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests/reconcile-programs.* share: a program under xalloc rss and under xalloc record, and reconcile of both, of
whose terms most of the peak is made."""
import json
import os
import subprocess
import time

from xtest import BUILD, REPORT, ROOT, check, check_equal, clean_environment, report, run, temp

XALLOC = os.path.join(BUILD, "xalloc")
UNEXPLAINED = 3.0  # percent of the peak
DIFFERENCE = 5.0   # what the traced run had otherwise than the native one


def under(argv, env, serve, socket):
    """Runs it to its end; serve: gives a program that waits at the socket something to do, and ends it."""
    if not serve:
        return run(argv, env=env, timeout=200)
    process = subprocess.Popen(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while not os.path.exists(socket) and process.poll() is None:
        time.sleep(0.01)
    check(serve(), "%s: it was served" % argv)
    try:
        _, errors = process.communicate(timeout=200)
    except subprocess.TimeoutExpired:
        process.terminate()  # which is passed on
        _, errors = process.communicate()
    return subprocess.CompletedProcess(argv, process.returncode, b"", errors)


def explain(name, argv, env=None, serve=None, socket=None, difference=DIFFERENCE, residency="10"):
    # 10: at any cost: a busy machine leaves those that come by themselves too little time
    env = clean_environment(**dict(env or {}, XALLOC_RESIDENCY=residency))
    rss, trace = temp(name + ".json"), temp(name + ".zst")
    for way in ([XALLOC, "rss", "--exact-peak", "-o", rss, "--"], [XALLOC, "record", "-o", trace, "--"]):
        done = under([*way, *argv], env, serve, socket)
        if not check_equal(done.returncode, 0, "%s: %s: %s" % (name, way[1], done.stderr.decode(errors="replace")[-500:])):
            return
    (pair,) = json.loads(report("reconcile", "--json", "--top", "0", "--rss", rss, trace))["pairs"]
    peak = pair["native"]["peak_bytes"]
    terms = {}
    for one in pair["terms"]:
        terms[one["key"]] = terms.get(one["key"], 0) + (one["bytes"]["peak_rss"] or 0)
    check_equal(sum(terms.values()) + pair["unexplained"]["peak_rss"], peak, name + ": terms and unexplained")
    check(pair["native"]["breakdown_bytes"] >= 0.99 * peak, "%s: the breakdown is of the peak: %d of %d" % (
        name, pair["native"]["breakdown_bytes"], peak))
    check(pair["peak_rss"]["has_snapshot"], "%s: a snapshot: %r" % (name, pair["peak_rss"]))
    unexplained, other = (100 * bytes_ / peak for bytes_ in (pair["unexplained"]["peak_rss"], terms["difference"]))
    print("%-10s peak %6.1f MiB, unexplained %5.2f %%, between the runs %5.2f %%" % (name, peak / 2**20, unexplained, other))
    check(abs(unexplained) <= UNEXPLAINED, "%s: %.2f %% of the peak is unexplained" % (name, unexplained))
    check(abs(other) <= difference, "%s: %.2f %% of the peak is between the runs" % (name, other))
