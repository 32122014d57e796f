# SPDX-License-Identifier: GPL-3.0-or-later
"""build/progs/killer, which allocates at full speed until it is killed and says what it completed, and what its trace
must hold then: kill.test, transport.test."""
import os
import struct

from xtest import BUILD, check, check_equal, frames, run, summary, temp

THREADS = 8
BYTES_MAX = 512


def command(shared, *way, threads=THREADS):
    """The program's, with a fresh file for what it says."""
    with open(shared, "wb") as file:
        file.write(bytes(64 * (threads + 1)))
    return [os.path.join(BUILD, "progs", "killer"), shared, str(threads), *way]


def published(shared):
    """Calls, bytes, frees that were completed."""
    data = open(shared, "rb").read()
    slots = [struct.unpack_from("<3Q", data, at) for at in range(0, len(data), 64)]
    return [sum(slot[i] for slot in slots) for i in range(3)]


def check_trace(trace, shared, end, what, more_bytes=0):
    """It is complete: all that was completed, and at most one call more per thread, of so many bytes more. Returns the
    calls."""
    calls, size, frees = published(shared)
    done = run(["zstd", "-tq", trace])
    if done.returncode != 0:
        # the one state that zstd refuses: killed between truncate and the store that makes a frame
        last = list(frames(trace))[-1]
        check(last.magic == 0 and last.zeros, what + ": zstd -t: " + done.stderr.decode().strip())
    result = summary(trace)
    totals = result["totals"]
    # dtv are counted by number only, see controls/control.h: at most 64 KiB of them here
    for key, low, more in (("allocation_calls", calls, THREADS + 1), ("free_calls", frees, THREADS),
                           ("allocated_bytes", size, THREADS * BYTES_MAX + 65536 + more_bytes)):
        check(low <= totals[key] <= low + more, "%s: %s: reported %d, completed %d, at most %d in flight" % (
            what, key, totals[key], low, more))
    check_equal(totals["foreign_frees"], 0, what + ": foreign_frees")
    check_equal(result["trace"]["lost_events"], 0, what + ": lost_events")
    check_equal(result["trace"]["complete"], True, what + ": complete")
    check_equal(result["process"]["exit"], end, what + ": exit")
    return calls


def new_trace(name="trace.zst"):
    trace = temp(name)
    if os.path.exists(trace):
        os.unlink(trace)
    return trace
