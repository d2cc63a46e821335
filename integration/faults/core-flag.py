#!/usr/bin/python3
"""core-flag.py COMMAND...: runs it, ends it by SIGSEGV while it reads its input, and fails if the kernel dumped it."""

import fcntl
import os
import resource
import signal
import struct
import sys
import termios
import time

resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
reading, writing = os.pipe()
process = os.fork()
if process == 0:
    os.dup2(reading, 0)
    os.close(writing)
    os.execv(sys.argv[1], sys.argv[1:])
# What comes before it reads has been done once it has taken something.
os.write(writing, b"protocol=https\n")
while struct.unpack("i", fcntl.ioctl(reading, termios.FIONREAD, bytes(4)))[0] > 0:
    if os.waitpid(process, os.WNOHANG)[0]:
        sys.exit("it ended before it had read anything")
    time.sleep(0.01)
os.kill(process, signal.SIGSEGV)
_, status = os.waitpid(process, 0)
if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGSEGV:
    sys.exit("it ended with %d" % status)
if os.WCOREDUMP(status):
    sys.exit("the kernel dumped its memory")
