#!/usr/bin/env python3
"""Holds the vault's write lock until it is ended: hold-lock.py LOCK READY, where READY is made once it has it."""

import fcntl
import os
import signal
import struct
import sys

F_OFD_SETLK = 37

descriptor = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
whole_file = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
fcntl.fcntl(descriptor, F_OFD_SETLK, whole_file)
open(sys.argv[2], "w").close()
signal.pause()
