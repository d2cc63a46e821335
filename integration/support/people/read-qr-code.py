#!/usr/bin/env python3
"""Turns a QR code of half blocks on a terminal into a picture: read-qr-code.py OUTPUT PICTURE (in the format PBM)."""

import re
import sys
from pathlib import Path

HALVES = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}
SCALE = 8

lines = re.sub(r"\x1b\[[0-9;]*m", "", Path(sys.argv[1]).read_text(errors="replace")).splitlines()
rows = []
for line in lines:
    line = line.rstrip("\r")
    if len(line) > 15 and set(line) <= HALVES.keys():
        rows += [[HALVES[character][half] for character in line] for half in (0, 1)]
picture = "P1\n%d %d\n" % (len(rows[0]) * SCALE, len(rows) * SCALE)
for row in rows:
    wide = " ".join(str(dark) for dark in row for _ in range(SCALE))
    picture += (wide + "\n") * SCALE
Path(sys.argv[2]).write_text(picture)
