# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of make bench: what is run, and what it needs, made when it is asked for."""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DEEP_FILES = 5  # of a directory
BROAD_FILES = 250
DEEP_LEVELS = 25
COMMITS = 4000
TREES = None  # a folder for directory trees, which stay until the end


class Row:
    """command: a list, or a function of the folder for what the row needs, which may make that and returns the list;
    None: what it needs is not installed. runs: how often it is run in one measurement. threads: how many live at once.
    bounds: the shares of heaptrack's that hold for it, beside those of every row."""

    def __init__(self, name, command, env=None, runs=1, threads=1, serve=None, **bounds):
        self.name, self.command, self.env, self.runs = name, command, env or {}, runs
        self.threads, self.serve, self.bounds = threads, serve, bounds
        self.raw = None  # why heaptrack's stream is compressed as it is

    def make(self, folder):
        return self.command(folder) if callable(self.command) else self.command


def work(*arguments):
    return [os.path.join(os.environ["BUILD"], "bench", "work"), *map(str, arguments)]


def make_files(directory, count):
    os.mkdir(directory)
    for i in range(count):
        os.close(os.open("%s/file with a name %d" % (directory, i), os.O_CREAT | os.O_WRONLY, 0o644))


def broad_tree(files):
    """Directories of many files, all below one. A larger tree is what a smaller one grows to."""
    top = os.path.join(TREES, "broad")
    os.makedirs(top, exist_ok=True)
    for i in range(len(os.listdir(top)), files // BROAD_FILES):
        make_files("%s/directory %d" % (top, i), BROAD_FILES)
    return top


def deep_tree(files):
    """Chains of directories of few files."""
    top = os.path.join(TREES, "deep")
    os.makedirs(top, exist_ok=True)
    for i in range(len(os.listdir(top)), files // (DEEP_FILES * DEEP_LEVELS)):
        at = "%s/chain %d" % (top, i)
        for _ in range(DEEP_LEVELS):
            make_files(at, DEEP_FILES)
            at += "/below"
    return top


def walk(tree, files, times):
    return lambda folder: work("walk", tree(files), times)


def preprocessed(folder, compiler):
    out = os.path.join(folder, "compile.ii")
    subprocess.run([compiler, "-std=c++17", "-E", "-o", out, os.path.join(HERE, "compile.cc")], check=True)
    return out


def cc1plus(folder):
    if not shutil.which("g++"):
        return None
    program = subprocess.run(["g++", "-print-prog-name=cc1plus"], check=True, stdout=subprocess.PIPE, text=True)
    return [program.stdout.strip(), "-quiet", "-std=c++17", "-O1", preprocessed(folder, "g++"), "-o", "/dev/null"]


def clang(folder):
    if not shutil.which("clang"):
        return None
    return ["clang", "-std=c++17", "-O1", "-c", preprocessed(folder, "clang"), "-o", "/dev/null"]


def git_log(folder):
    """A history that git itself makes from a stream: always the same."""
    if not shutil.which("git"):
        return None
    subprocess.run(["git", "init", "-q", folder], check=True)
    stream = []
    for i in range(COMMITS):
        text = "".join("line %d of %d\n" % (k, i - k * 13 % 50) for k in range(30))
        message = "Change %d\n\nBecause of %d.\n" % (i, i * 7919 % 1000)
        stream.append("commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata %d\n%s"
                      "M 644 inline directory%d/file%d\ndata %d\n%s\n" % (
                          1700000000 + i, len(message), message, i % 7, i % 41, len(text), text))
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input="".join(stream), text=True, check=True)
    return ["git", "--no-pager", "-C", folder, "log", "--stat", "main"]


def redis(folder):
    """The server; Debian's other programs of redis are the same file under another name."""
    program = shutil.which("redis-server") or shutil.which("redis-check-rdb")
    if not program or not shutil.which("redis-benchmark"):
        return None
    server = os.path.join(folder, "redis-server")
    os.symlink(program, server)
    return [server, "--port", "0", "--unixsocket", os.path.join(folder, "socket"), "--save", "", "--dir", folder]


def load_redis(folder):
    """Returns whether the server was there, and ends it."""
    socket = os.path.join(folder, "socket")
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    done = subprocess.run(["redis-benchmark", "-s", socket, "-q", "-n", "60000", "-r", "5000", "-c", "4", "-P", "8",
                           "-t", "set,get,lpush,lpop,hset,mset"], **quiet)
    subprocess.run(["redis-cli", "-s", socket, "shutdown", "nosave"], **quiet)
    return done.returncode == 0


def installed(name, *arguments):
    return [shutil.which(name), *arguments] if shutil.which(name) else None


def map_of_strings():
    return [os.path.join(os.environ["BUILD"], "bench", "map"), "200000"]


def rows():
    python = [sys.executable, os.path.join(HERE, "work_python.py")]
    listed = [
        Row("tight", work("tight", 20000000), target=1 / 12, times=2.3, bytes=1.0, analysis=True),
        Row("deep-loop", work("deep", 2000000, 4, 1), target=1 / 10, bytes=1.0),
        Row("deep-few-sizes", work("deep", 1000000, 4, 0), target=1 / 10, bytes=1.0),
        Row("deep-200-sizes", work("deep", 1000000, 200, 0), target=1 / 10, bytes=1.0),
        Row("grow", work("grow", 4000)),
        Row("live", work("live", 5000000), analysis=True),
        Row("cross-2", work("cross", 2, 1000000), threads=2),
        Row("cross-4", work("cross", 4, 500000), threads=4),
        Row("own-4", work("own", 4, 1000000), threads=4, target=1 / 6),
        Row("map-of-strings", map_of_strings()),
    ]
    for name, tree in ("broad", broad_tree), ("deep", deep_tree):
        for thousands in 20, 50, 100:
            listed.append(Row("walk-%s-%dk" % (name, thousands), walk(tree, thousands * 1000, 200 // thousands)))
    return listed + [
        Row("python", python, env={"PYTHONDONTWRITEBYTECODE": "1"}, analysis=True),
        Row("python-malloc", python, env={"PYTHONDONTWRITEBYTECODE": "1", "PYTHONMALLOC": "malloc"}, target=1 / 4,
            analysis=True),
        Row("cc1plus", cc1plus, target=1 / 4, times=1.2),
        Row("clang", clang),
        Row("sqlite", installed("sqlite3", ":memory:", ".read " + os.path.join(HERE, "work.sql"))),
        Row("ripgrep", installed("rg", "-j", "2", "-c", r"struct [a-z_]+ \*?\w+", "/usr/include"), threads=3),
        Row("git-log", git_log),
        Row("perl", installed("perl", os.path.join(HERE, "work.pl"))),
        Row("redis", redis, threads=5, serve=load_redis),
        Row("threads-20k", work("threads", 20000), threads=2, target=1 / 8),
        Row("start-up", work("empty"), runs=40, startup=True),
    ]
