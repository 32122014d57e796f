# SPDX-License-Identifier: GPL-3.0-or-later
"""A file system in a process's memory that allows no shared mapping of its files (FOPEN_DIRECT_IO), by the kernel's FUSE
protocol: one directory, files, links. For tests of where a trace may be."""
import ctypes
import errno
import os
import stat
import struct

BLOCK, ROOT = 4096, 1
FOPEN_DIRECT_IO = 1
SET_MODE, SET_SIZE = 1, 8


class Node:
    def __init__(self, mode, data=b""):
        self.mode, self.data, self.links = mode, bytearray(data), 1


class Server:
    """Nodes by their number; the one directory's names."""

    def __init__(self, fd, most):
        self.fd, self.most, self.node, self.names = fd, most, {ROOT: Node(stat.S_IFDIR | 0o755)}, {}

    def attributes(self, number):
        node = self.node[number]
        return struct.pack("<6Q10I", number, len(node.data), (len(node.data) + 511) // 512, 0, 0, 0, 0, 0, 0, node.mode,
                           node.links, os.getuid(), os.getgid(), 0, BLOCK, 0)

    def entry(self, number):
        return struct.pack("<4Q2I", number, 0, 0, 0, 0, 0) + self.attributes(number)

    def find(self, name):
        if name not in self.names:
            raise OSError(errno.ENOENT, name)
        return self.names[name]

    def add(self, name, node):
        if name in self.names:
            raise OSError(errno.EEXIST, name)
        number = max(self.node) + 1
        self.node[number], self.names[name] = node, number
        return number

    def drop(self, name):
        self.node[self.find(name)].links -= 1
        del self.names[name]  # the node stays: somebody may have it open

    def answer(self, op, number, body):
        text = body.split(b"\0")
        if op == 26:  # INIT
            return struct.pack("<4I2H2I2H8I", 7, 31, 1 << 16, 0, 16, 12, 1 << 16, 1, 0, 0, *[0] * 8)
        if op == 1:  # LOOKUP
            return self.entry(self.find(text[0]))
        if op == 3:  # GETATTR
            return struct.pack("<QII", 0, 0, 0) + self.attributes(number)
        if op == 4:  # SETATTR
            valid, size, mode = struct.unpack_from("<I12xQ", body) + struct.unpack_from("<I", body, 68)
            node = self.node[number]
            if valid & SET_SIZE:
                node.data = node.data[:size].ljust(size, b"\0")
            if valid & SET_MODE:
                node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(mode)
            return struct.pack("<QII", 0, 0, 0) + self.attributes(number)
        if op == 5:  # READLINK
            return bytes(self.node[number].data)
        if op == 6:  # SYMLINK
            return self.entry(self.add(text[0], Node(stat.S_IFLNK | 0o777, text[1])))
        if op == 10:  # UNLINK
            return self.drop(text[0])
        if op in (12, 45):  # RENAME, RENAME2
            old, new = body[8 if op == 12 else 16:].split(b"\0")[:2]
            moved = self.find(old)
            if new in self.names:
                self.drop(new)
            del self.names[old]
            self.names[new] = moved
            return None
        if op == 13:  # LINK
            old, name = struct.unpack_from("<Q", body)[0], body[8:-1]
            if name in self.names:
                raise OSError(errno.EEXIST, name)
            self.names[name] = old
            self.node[old].links += 1
            return self.entry(old)
        if op in (14, 27):  # OPEN, OPENDIR
            return struct.pack("<QII", 0, FOPEN_DIRECT_IO if op == 14 else 0, 0)
        if op == 35:  # CREATE
            mode, name = struct.unpack_from("<4xI", body)[0], body[16:-1]
            return self.entry(self.add(name, Node(mode))) + struct.pack("<QII", 0, FOPEN_DIRECT_IO, 0)
        if op == 15:  # READ
            at, size = struct.unpack_from("<8xQI", body)
            return bytes(self.node[number].data[at:at + size])
        if op == 16:  # WRITE
            at, size = struct.unpack_from("<8xQI", body)
            data = self.node[number].data
            if at + size > self.most:
                raise OSError(errno.ENOSPC, "a file of %d bytes" % (at + size))
            data.extend(bytes(max(0, at + size - len(data))))
            data[at:at + size] = body[40:40 + size]
            return struct.pack("<II", size, 0)
        if op == 28:  # READDIR
            at, size = struct.unpack_from("<8xQI", body)
            found = b""
            for i, name in enumerate(sorted(self.names)):
                one = struct.pack("<QQII", self.names[name], i + 1, len(name), self.node[self.names[name]].mode >> 12) + name
                one += bytes(-len(one) % 8)
                if i >= at and len(found) + len(one) <= size:
                    found += one
            return found
        if op == 17:  # STATFS
            return struct.pack("<5Q10I", 1 << 20, 1 << 20, 1 << 20, 1 << 20, 1 << 20, BLOCK, 255, BLOCK, *[0] * 7)
        if op in (18, 20, 25, 29, 34):  # RELEASE, FSYNC, FLUSH, RELEASEDIR, ACCESS
            return None
        raise OSError(errno.ENOSYS, "operation %d" % op)

    def serve(self):
        while True:
            try:
                request = os.read(self.fd, 1 << 18)
            except OSError as error:
                if error.errno == errno.ENODEV:
                    return  # unmounted
                continue
            op, unique, number = struct.unpack_from("<4xIQQ", request)
            if op in (2, 36, 42):  # FORGET, INTERRUPT, BATCH_FORGET: without an answer
                continue
            try:
                status, data = 0, self.answer(op, number, request[40:]) or b""
            except OSError as error:
                status, data = -error.errno, b""
            os.write(self.fd, struct.pack("<IiQ", 16 + len(data), status, unique) + data)


def mount(directory, most=1 << 30):
    """Mounted there, in this mount namespace, until unmount, by a process of its own. A file has at most so many bytes
    written. An OSError says why not."""
    libc = ctypes.CDLL(None, use_errno=True)
    fd = os.open("/dev/fuse", os.O_RDWR)
    options = "fd=%d,rootmode=40755,user_id=%d,group_id=%d,default_permissions" % (fd, os.getuid(), os.getgid())
    if libc.mount(b"none", directory.encode(), b"fuse", 0, options.encode()) < 0:
        os.close(fd)
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), directory)
    pid = os.fork()
    if pid == 0:
        try:
            Server(fd, most).serve()
        finally:
            os._exit(0)
    os.close(fd)
    return pid


def unmount(directory, pid):
    ctypes.CDLL(None, use_errno=True).umount2(directory.encode(), 2)
    os.waitpid(pid, 0)
