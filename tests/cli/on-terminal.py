# SPDX-License-Identifier: GPL-3.0-or-later
"""on-terminal.py PROGRAM ARGS: standard output of PROGRAM is a terminal; what it writes there is printed."""
import os
import subprocess
import sys

master, slave = os.openpty()
with subprocess.Popen(sys.argv[1:], stdout=slave) as process:
    os.close(slave)
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break  # the terminal is gone with its last writer
        if not part:
            break
        sys.stdout.buffer.write(part.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(process.returncode)
