#!/usr/bin/env python3
"""What a service has in its memory when its bus is gone and it is about to end: secret-service-memory.py PID BUS SECRET
IDENTITY

It looks for the secret and for the key in the file IDENTITY, as text and as bytes, 12 bytes of each in a row. What
isn't wiped by design, the attribute of the item, has to be there, or the search would prove nothing. Needs root.
"""

import os
import signal
import subprocess
import sys
import time

sys.path.append(os.environ["ROOT"] + "/integration/faults")

from searching import bech32_bytes, encodings, in_memory

EXIT_GROUP = {"x86_64": "231", "aarch64": "94"}[os.uname().machine]
PUBLIC = b"attribute-that-is-no-secret"


def stands_before_the_end(process):
    """Whether a thread of it is about to end all."""
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/syscall") as file:
            if file.read().split()[0] == EXIT_GROUP:
                return True
    return False


process, bus, secret, identity = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
with open(identity) as file:
    key = next(line.strip() for line in file if line.startswith("AGE-SECRET-KEY-1"))
needles = {
    **encodings("the secret", secret),
    "the identity": key.removeprefix("AGE-SECRET-KEY-1").encode(), "the identity as bytes": bech32_bytes(key),
    "what is no secret": PUBLIC,
}  # fmt: skip
tracer = subprocess.Popen(
    ("strace", "-f", "-p", str(process), "-o", "/dev/null", "-e", "trace=exit_group",
     "-e", "inject=exit_group:delay_enter=100s"), stderr=subprocess.PIPE, text=True)  # fmt: skip
next(line for line in tracer.stderr if " attached" in line)
os.kill(bus, signal.SIGTERM)
end = time.monotonic() + 30
while not stands_before_the_end(process):
    if time.monotonic() > end:
        sys.exit("it doesn't end")
    time.sleep(0.01)
found = in_memory(process, needles)
tracer.kill()
tracer.wait()
print(*(f"{name} is in {', '.join(places)}" for name, places in sorted(found.items())), sep="\n")
sys.exit(0 if list(found) == ["what is no secret"] else 1)
