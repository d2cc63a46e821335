#!/usr/bin/env python3
"""Runs a command on a terminal of its own, and types what is asked for there.

typing-answers.py [--when FILE] [--to FILE] PROMPT ANSWER... -- COMMAND...

A prompt is text that ends in PROMPT after which nothing more comes. Each gets the next answer and a line feed, or with
one answer each gets that; an empty one is the end of input.

--when FILE  the first one is not answered before there is the file
--to FILE    the command's standard output goes there

What the terminal shows goes to standard error, and how many prompts there were to standard output. The status is the
command's, or 90 if it never ends or asks for fewer or more.
"""

import argparse
import os
import pty
import select
import sys
import time

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("--when")
parser.add_argument("--to")
parser.add_argument("prompt")
parser.add_argument("answers", nargs="+")
separator = sys.argv.index("--")
options = parser.parse_args(sys.argv[1:separator])
command = sys.argv[separator + 1 :]
process, terminal = pty.fork()
if process == 0:
    if options.to:
        target = os.open(options.to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(target, 1)
        os.close(target)
    os.execvp(command[0], command)

shown, count, prompt = b"", 0, options.prompt.encode()
end = time.monotonic() + 110
while time.monotonic() < end:
    # Input that arrives before the echo is off is dropped.
    if select.select([terminal], [], [], 0.3)[0]:
        try:
            text = os.read(terminal, 65536)
        except OSError:
            text = b""
        if not text:
            break
        shown += text
        os.write(2, text)
    elif shown.endswith(prompt) and (options.answers[count:] or len(options.answers) == 1):
        while options.when and not os.path.exists(options.when) and time.monotonic() < end:
            time.sleep(0.02)
        answer = options.answers[count if len(options.answers) > 1 else 0].encode()
        # Two of them can come at once.
        count += shown.count(prompt)
        shown = b""
        os.write(terminal, answer + b"\n" if answer else b"\x04")
else:
    os.kill(process, 9)
    os.waitpid(process, 0)
    sys.exit(90)
print(count)
status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
sys.exit(90 if count < len(options.answers) else status)
