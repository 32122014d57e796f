# SPDX-License-Identifier: GPL-3.0-or-later
"""An extension in C from four threads, C modules of Python's own, ctypes, a fork, a child, an exception."""
import ctypes
import json
import os
import sqlite3
import subprocess
import sys
import threading
import zlib

import extension

seen = []
threads = [threading.Thread(target=extension.work, args=(500, seen.append)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(seen), sum(seen))
print(len(zlib.decompress(zlib.compress(b"abc" * 100000))), json.loads(json.dumps({"a": [1, {"b": 2}]})))
base = sqlite3.connect(":memory:")
base.execute("create table t(a)")
base.executemany("insert into t values(?)", [(i * 7919 % 1009,) for i in range(5000)])
print(base.execute("select count(distinct a), sum(a) from t").fetchall())
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
libc.free(libc.malloc(ctypes.c_size_t(12345)))
sys.stdout.flush()
pid = os.fork()
if pid == 0:
    print("child", len(seen))
    sys.stdout.flush()
    os._exit(3)
print(os.waitpid(pid, 0)[1] >> 8, subprocess.run(["echo", "a child"], stdout=subprocess.PIPE, check=True).stdout)
try:
    extension.work(1, None)
except TypeError as error:
    print(error)
print("to standard error", file=sys.stderr)
sys.exit(5)
