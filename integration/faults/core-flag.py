#!/usr/bin/python3
"""core-flag.py COMMAND...: runs it, ends it by SIGSEGV while it reads its input, and fails if the kernel dumped it."""

import os
import resource
import signal
import sys
import time

resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
reading, writing = os.pipe()
process = os.fork()
if process == 0:
    os.dup2(reading, 0)
    os.close(writing)
    os.execv(sys.argv[1], sys.argv[1:])
time.sleep(0.5)
os.kill(process, signal.SIGSEGV)
_, status = os.waitpid(process, 0)
if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGSEGV:
    sys.exit("it ended with %d" % status)
if os.WCOREDUMP(status):
    sys.exit("the kernel dumped its memory")
