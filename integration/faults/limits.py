#!/usr/bin/python3
"""limits.py [--all] OPERATION...: the same as errors.py where the kernel itself says no: a limit for the size of a
file, so that a write stops in its middle; a limit for open files; a file system that has but so many pages left.

Without --all, every 64th size of a file. Needs the right to mount for the last part.
"""

import os
import subprocess
import sys

import trials
from operations import OPERATIONS, Home, Problem


def judge(home, result, operation, before):
    """How it ended, with the limit lifted again."""
    if result.returncode < 0:
        raise Problem("ended by signal %d" % -result.returncode)
    if result.stdout:
        raise Problem("it wrote to stdout: %r" % result.stdout)
    if result.returncode not in (0, 2) or (result.returncode == 2 and not result.stderr.startswith(b"llavero: ")):
        raise Problem("status %d, stderr %r" % (result.returncode, result.stderr))
    state = home.state(operation, before)
    if state != ("new" if result.returncode == 0 else "old"):
        raise Problem("status %d, and the %s state is there: %r" % (result.returncode, state, result.stderr))
    if result.returncode == 0:
        home.check_done(operation)
    if home.temporaries():
        raise Problem("it left %s" % " ".join(home.temporaries()))
    home.next_store_works()
    return "said, not done" if result.returncode == 2 else "done"


def limited(home, _, name, limit, before):
    operation = OPERATIONS[name]
    result = home.run("prlimit", limit, *operation.command, input=operation.request)
    return judge(home, result, operation, before)


def filled(home, _, name, pages, before):
    """With so many pages left on the file system."""
    operation = OPERATIONS[name]
    filler = home.path / "filler"
    status = os.statvfs(home.path)
    if status.f_bavail < pages:
        raise Problem("only %d pages are left" % status.f_bavail)
    filler.write_bytes(bytes((status.f_bavail - pages) * status.f_bsize))
    try:
        result = home.run(*operation.command, input=operation.request)
    finally:
        filler.unlink()
    return judge(home, result, operation, before)


def small_disks(names):
    """All operations on small file systems, each process with its own; run with mounts of its own."""
    is_good = True
    for name in names:
        with trials.Place() as folder:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "faults", folder], check=True)
            prepared = Home(folder / "prepared")
            prepared.prepare(OPERATIONS[name])
            tasks = [(name, pages, prepared.mark()) for pages in range(24)]
            # One after the other, because they share the remaining space.
            outcomes, problems = trials.run(prepared, filled, tasks, processes=1)
            is_good &= trials.tell("%s: on a full file system" % name, outcomes, problems, 24)
            if not outcomes["done"] or not outcomes["said, not done"]:
                print("  the limits don't lie around what it needs")
                is_good = False
            subprocess.run(["umount", folder], check=True)
    return is_good


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--small-disks":
        sys.exit(0 if small_disks(arguments[1:]) else 1)
    names = [argument for argument in arguments if argument != "--all"]
    step = 1 if "--all" in arguments else 64
    is_good = True
    for name in names:
        operation = OPERATIONS[name]
        with trials.Place() as folder:
            prepared = Home(folder / "prepared")
            prepared.prepare(operation)
            done = Home(folder / "done")
            done.become(prepared)
            done.run(*operation.command, input=operation.request)
            largest = done.vault.stat().st_size
            limits = ["--fsize=%d" % size for size in [*range(0, largest, step), largest - 1, largest, 2 * largest]]
            # With 3 the Swift runtime can't find the program's arguments.
            limits += ["--nofile=%d" % number for number in range(4, 16)]
            tasks = [(name, limit, prepared.mark()) for limit in limits]
            outcomes, problems = trials.run(prepared, limited, tasks)
            is_good &= trials.tell("%s: limits for files" % name, outcomes, problems, 50)
    sys.stdout.flush()
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    result = subprocess.run([*unshare, sys.executable, __file__, "--small-disks", *names])
    sys.exit(0 if is_good and result.returncode == 0 else 1)


main()
