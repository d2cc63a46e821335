#!/usr/bin/env python3
"""Runs a shell script on a terminal of its own and answers what is asked there.

terminal-of-its-own.py [--when FILE] PROMPT ANSWER SCRIPT: answers each PROMPT with ANSWER and a line feed, or with the
end of input if ANSWER is empty; the first one not before there is the file. Prints how many prompts there were; the script's own output should go to files.
"""

import os
import pty
import select
import sys
import time

arguments = sys.argv[1:]
awaited = None
if arguments[0] == "--when":
    awaited = arguments[1]
    arguments = arguments[2:]
prompt, answer, script = arguments
process, terminal = pty.fork()
if process == 0:
    os.execvp("bash", ["bash", "-c", script])
shown = b""
count = 0
end = time.monotonic() + 110
while time.monotonic() < end:
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    while prompt.encode() in shown:
        shown = shown.split(prompt.encode(), 1)[1]
        count += 1
        while awaited and not os.path.exists(awaited) and time.monotonic() < end:
            time.sleep(0.02)
        # Input that arrives before the echo is off is dropped.
        time.sleep(0.1)
        os.write(terminal, answer.encode() + b"\n" if answer else b"\x04")
print(count)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
