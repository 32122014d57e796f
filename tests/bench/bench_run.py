# SPDX-License-Identifier: GPL-3.0-or-later
"""One measurement of one program: native, under heaptrack, and under xalloc by hand and by its launcher."""
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import time

BUILD = os.environ["BUILD"]
MEASURE = os.path.join(BUILD, "bench", "measure")
LIBRARY = os.path.join(BUILD, "libxalloc.so")
LAUNCHER = os.path.join(BUILD, "xalloc")
REPORT = os.path.join(BUILD, "xalloc-report")
INTERPRETER_BYTES = 4 << 30  # heaptrack 1.4's interpreter has been seen to take all there is
SECONDS_MAX = 400
TICKS = os.sysconf("SC_CLK_TCK")


class Failed(Exception):
    pass


class Stopped(Exception):
    """By a signal."""


class Taken:
    """seconds of wall time; CPU seconds of the target (with children it waited for) and of the whole tree; greatest
    resident bytes; foreign: cores that others kept busy meanwhile."""

    def __init__(self, wall, target, tree, resident, foreign):
        self.wall, self.target, self.tree, self.resident, self.foreign = wall, target, tree, resident, foreign


def busy_seconds():
    with open("/proc/stat") as file:
        fields = [int(f) for f in file.readline().split()[1:]]
    return (sum(fields[:3]) + sum(fields[5:8])) / TICKS


def environment(row):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XALLOC_", "LD_PRELOAD", "PYTHON", "MAKE"))}
    env.update(row.env)
    return env


def end_group(process):
    """Unless it has ended: then its number may be another's."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def measure(row, command, folder, runs, variables=()):
    """(wall, target, tree, resident) of measure.c."""
    out, errors = os.path.join(folder, "taken"), os.path.join(folder, "errors")
    with open(errors, "wb") as stderr:
        process = subprocess.Popen([MEASURE, out, str(runs), *variables, *command], env=environment(row),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
                                   start_new_session=True)
        try:
            if row.serve:
                serve(row, process, folder)
            process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            raise Failed("it does not end")
        finally:
            end_group(process)
    with open(errors, errors="replace") as file:
        text = file.read().strip()[-300:]
    if process.returncode:
        raise Failed("measure: exit status %d: %s" % (process.returncode, text))
    return read_measured(out, text)


def read_measured(out, text):
    with open(out) as file:
        status, *figures, resident = file.read().split()
    if int(status):
        raise Failed("it ended with wait status %s: %s" % (status, text))
    return [*map(float, figures), int(resident)]


def serve(row, process, folder):
    place = os.path.dirname(folder)
    socket = os.path.join(place, "socket")
    for _ in range(2000):
        if os.path.exists(socket) or process.poll() is not None:
            break
        time.sleep(0.01)
    if not row.serve(place):
        raise Failed("the server did not answer")


def empty_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)


def timed(row, command, folder, variables=()):
    busy = busy_seconds()
    wall, target, tree, resident = measure(row, command, folder, row.runs, variables)
    foreign = max(busy_seconds() - busy - tree, 0) / wall
    return Taken(wall / row.runs, target / row.runs, tree / row.runs, resident, foreign)


def run_native(row, command, folder):
    empty_folder(folder)
    return timed(row, command, folder)


def trace_pattern(folder):
    return os.path.join(folder, "%e.%p.zst")


def run_hand(row, command, folder):
    empty_folder(folder)
    return timed(row, command, folder, ["LD_PRELOAD=" + LIBRARY, "XALLOC_OUT=" + trace_pattern(folder)])


def run_record(row, command, folder):
    """The target is measured from within, by a program that is recorded, too, because the launcher's own children
    compress."""
    empty_folder(folder)
    launcher = [LAUNCHER, "record", "-o", trace_pattern(folder), "--"]
    if row.runs > 1:
        return timed(row, [*launcher, *command], folder)
    inner = os.path.join(folder, "inner")
    taken = timed(row, [*launcher, MEASURE, inner, "1", *command], folder)
    _, taken.target, _, taken.resident = read_measured(inner, "under the launcher")
    return taken


class Heaptrack:
    """paths: preload library, interpreter, heaptrack_print. Its script's pipeline is built here, so that the target's
    CPU stands apart from the rest, and the rest is counted without the script's shell."""

    def __init__(self, paths):
        self.library, self.interpreter, self.print = paths
        script = shutil.which("heaptrack")
        done = subprocess.run([script, "--version"], stdout=subprocess.PIPE, text=True, check=False)
        self.version = done.stdout.strip()

    def run(self, row, command, folder):
        """Taken; file() is there afterwards. Where the interpreter fails the raw stream is compressed."""
        if row.raw:
            return self._run(row, command, folder, [])
        try:
            return self._run(row, command, folder, [self.interpreter])
        except Failed as failure:
            row.raw = str(failure)
            return self._run(row, command, folder, [])

    @staticmethod
    def file(folder):
        return os.path.join(folder, "heaptrack.zst")

    def _run(self, row, command, folder, interpreter):
        empty_folder(folder)
        fifo = os.path.join(folder, "fifo")
        if row.runs > 1:  # one stream has one writer
            return timed(row, command, folder, ["LD_PRELOAD=" + self.library, "DUMP_HEAPTRACK_OUTPUT=/dev/null"])
        os.mkfifo(fifo)
        stages = self._start(fifo, self.file(folder), interpreter)
        try:
            taken = timed(row, command, folder, ["LD_PRELOAD=" + self.library, "DUMP_HEAPTRACK_OUTPUT=" + fifo])
            taken.tree += self._finish(stages)
        except Failed:
            for stage in stages:
                end_group(stage)
            raise
        return taken

    @staticmethod
    def _start(fifo, out, interpreter):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (INTERPRETER_BYTES, INTERPRETER_BYTES))

        stages = []
        source = subprocess.DEVNULL
        with open(out, "wb") as file:
            # a shell opens the fifo: that waits for the target
            for program in [p for p in (interpreter, ["zstd", "-c"]) if p]:
                last = program[0] == "zstd"
                argv = ["sh", "-c", 'exec "$@" <"$0"', fifo, *program] if not stages else program
                stages.append(subprocess.Popen(argv, stdin=source, stdout=file if last else subprocess.PIPE,
                                               stderr=subprocess.DEVNULL, preexec_fn=limit, start_new_session=True))
                source = stages[-1].stdout
        if len(stages) > 1:
            stages[0].stdout.close()
        return stages

    @staticmethod
    def _finish(stages):
        """CPU seconds of all stages."""
        seconds, failed = 0, False
        for stage in stages:
            deadline = time.monotonic() + SECONDS_MAX
            pid = 0
            while not pid and time.monotonic() < deadline:
                pid, status, usage = os.wait4(stage.pid, os.WNOHANG)
                time.sleep(0 if pid else 0.005)
            if not pid:
                raise Failed("heaptrack's interpreter does not end")
            stage.returncode = os.waitstatus_to_exitcode(status)
            failed |= stage.returncode != 0
            seconds += usage.ru_utime + usage.ru_stime
        if failed:
            raise Failed("heaptrack's interpreter ended with %s" % [s.returncode for s in stages])
        return seconds


def traces(folder):
    """The largest first; not that of the measuring program."""
    found = glob.glob(os.path.join(glob.escape(folder), "*.zst"))
    return sorted((t for t in found if not os.path.basename(t).startswith("measure.")), key=os.path.getsize,
                  reverse=True)


def totals(trace):
    done = subprocess.run([REPORT, "summary", "--json", "--top", "1", trace], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)["totals"]


def analysis(row, command, folder):
    """What an analyzer takes."""
    os.makedirs(folder, exist_ok=True)
    return timed(type(row)(row.name, None), command, folder)


def file_bytes(path):
    """What a file takes on the disk: a trace has a hole where its live window was."""
    status = os.stat(path)
    return min(status.st_size, status.st_blocks * 512)


def compacted_bytes(trace, folder):
    """None: there is no compact yet."""
    out = os.path.join(folder, "small.zst")
    done = subprocess.run([REPORT, "compact", "--drop", "addresses,stamps", "-o", out, trace],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return file_bytes(out) if done.returncode == 0 and os.path.exists(out) else None
