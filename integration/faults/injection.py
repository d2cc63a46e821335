"""Which system calls an operation makes, and running it with one of them hit."""

import os
import re
import signal
from dataclasses import dataclass

LINE = re.compile(r"^(?:\d+ +)?([a-z][a-z0-9_]*)\((.*)$")
# The calls that give the finished file its name, by exchange or by renaming.
PLACING = re.compile(r', "vault\.age"(, RENAME_EXCHANGE)?\)$')

# Memory and random numbers: if the kernel has none, the Swift runtime and libsodium end the process.
INDISPENSABLE = frozenset(("brk", "mmap", "mremap", "munmap", "mprotect", "madvise", "getrandom"))
# These have no error that a program could see: execve is the start itself, exit_group the end.
WITHOUT_ERROR = frozenset(("execve", "exit_group"))


@dataclass(frozen=True)
class Call:
    """The `occurrence`th call of that name."""

    name: str
    occurrence: int
    text: str
    is_startup: bool  # before the program's own first call, in the C library and the Swift runtime
    is_sync_of_placed: bool  # the fsync that makes the new vault's name durable, after it got that name

    def __str__(self):
        return "%s #%d" % (self.name, self.occurrence)


def calls(home, operation, log):
    """All system calls of the operation, in order."""
    result = home.run("strace", "-f", "-qq", "-e", "signal=none", "-s", "256", "-o", log, *operation.command,
                      input=operation.request)  # fmt: skip
    if result.returncode != 0:
        raise SystemExit("strace can't trace here: %r" % result.stderr)
    found = []
    counts = {}
    has_begun = False
    placed = None
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = LINE.match(line)
            if not match or "resumed" in line:
                continue
            name, rest = match.groups()
            counts[name] = counts.get(name, 0) + 1
            # Program.main begins with umask.
            has_begun = has_begun or name == "umask"
            if name.startswith("rename") and PLACING.search(rest.rsplit(" = ", 1)[0]):
                placed = rest.split(",", 1)[0]
            is_sync = name == "fsync" and placed is not None and rest.split(")", 1)[0] == placed
            found.append(Call(name, counts[name], line.strip(), not has_begun, is_sync))
            if is_sync:
                placed = None
    if not has_begun or len(found) < 50:
        raise SystemExit("that is no trace of llavero: %d calls" % len(found))
    return found


def run(home, operation, call, fault, log):
    """Runs the operation with a fault at a call: 'signal=KILL' or 'error=EIO'. Returns its result, whether the
    fault was hit, and the line of strace that says so."""
    result = home.run(
        "strace", "-f", "-qq", "-s", "256", "-o", log, "-e", "trace=" + call.name,
        "-e", "inject=%s:%s:when=%d" % (call.name, fault, call.occurrence), *operation.command,
        input=operation.request,
    )  # fmt: skip
    if fault.startswith("signal="):
        return result, result.returncode == -getattr(signal, "SIG" + fault.split("=")[1]), ""
    with open(log, encoding="utf-8", errors="replace") as lines:
        hits = [line.strip() for line in lines if "(INJECTED)" in line]
    return result, bool(hits), hits[0] if hits else ""


def is_killed(result):
    """Whether a signal ended the program."""
    return result.returncode < 0


def workers():
    return len(os.sched_getaffinity(0))
