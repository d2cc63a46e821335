"""typing-answers.py OUTPUT ANSWER... -- COMMAND...: runs the command on a terminal of its own, and types the answers.

A prompt is text that ends in ": " after which nothing more comes. What the terminal shows goes to standard error; the
command's standard output goes into the file OUTPUT. The status is the command's; 90 if it never asks or never ends.
"""

import os
import pty
import select
import sys
import time

separator = sys.argv.index("--")
output, answers, command = sys.argv[1], sys.argv[2:separator], sys.argv[separator + 1 :]
process, terminal = pty.fork()
if process == 0:
    target = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(target, 1)
    os.close(target)
    os.execvp(command[0], command)

shown = b""
deadline = time.monotonic() + 100
while time.monotonic() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.3)
    if ready:
        try:
            text = os.read(terminal, 4096)
        except OSError:
            text = b""
        if not text:
            break
        shown += text
        os.write(2, text)
    elif answers and shown.endswith(b": "):
        shown = b""
        os.write(terminal, answers.pop(0).encode() + b"\n")
else:
    os.kill(process, 9)
    os.waitpid(process, 0)
    sys.exit(90)
_, status = os.waitpid(process, 0)
if answers:
    sys.exit("never asked: %d answers are left" % len(answers))
sys.exit(os.waitstatus_to_exitcode(status))
