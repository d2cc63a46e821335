#!/usr/bin/python3
"""errors.py [--all] OPERATION...: lets system calls of each operation fail, with each of these errors.

Either the operation is done and says so (status 0, the new state), or it isn't and says so (status 2, a line on
stderr, the old state). Where what is done may not survive a loss of power, that is said. Where it is done but earlier
states could not be removed, that is said, and the same once more removes them. Nothing hangs, nothing is on stdout, no temporary file stays, and a store works afterwards. Without --all,
of each call's name the first and the last occurrence, each with the errors that llavero tells apart; with it, every
occurrence with every error.
"""

import sys

import injection
import trials
from operations import OPERATIONS, Home, Problem

DONE_BUT = "said, and done but for the removal of earlier states"
# After EINTR a call is made again, and after EXDEV a file is copied, not linked. The others only have their texts.
TOLD_APART = ("EINTR", "EXDEV")
ALIKE = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EMFILE", "ENOLCK")


def trial(home, log, name, call, error, before):
    operation = OPERATIONS[name]
    result, is_hit, line = injection.run(home, operation, call, "error=" + error, log)
    if result.stdout:
        raise Problem("it wrote to stdout: %r" % result.stdout)
    state = home.state(operation, before)
    outcome = judge(operation, call, result, state, is_hit, line)
    if outcome == DONE_BUT:
        result = home.run(*operation.command, input=operation.request)
        if result.returncode != 0:
            raise Problem("the same once more ends with %d: %r" % (result.returncode, result.stderr))
    if result.returncode == 0:
        home.check_done(operation)
    if not outcome.startswith("ended") and home.temporaries():
        raise Problem("it left %s" % " ".join(home.temporaries()))
    home.next_store_works()
    return outcome


def judge(operation, call, result, state, is_hit, line):
    said = result.stderr.decode(errors="replace")
    if injection.is_killed(result):
        # Without memory or random numbers nothing can continue, and the program isn't responsible for what runs before
        # it.
        if state == "old" and (call.name in injection.INDISPENSABLE or call.is_startup):
            return "ended by the runtime, %s" % ("starting" if call.is_startup else "without memory or randomness")
        raise Problem("ended by signal %d with the %s state: %s" % (-result.returncode, state, line))
    if result.returncode == 0:
        if state != "new":
            raise Problem("status 0, and the old state is there: %s" % line)
        if call.is_sync_of_placed and is_hit:
            if "loss of power" not in said:
                raise Problem("it doesn't say that it may not survive a loss of power: %s: %s" % (said.strip(), line))
            return "done, and said that it may not survive a loss of power"
        return "done" if is_hit else "not reached"
    # A request that can't be read is the caller's fault.
    statuses = (2, 64) if call.name == "read" else (2,)
    if result.returncode not in statuses or not said.startswith("llavero: "):
        if call.is_startup and state == "old":
            return "ended by the runtime, starting"
        raise Problem("status %d, stderr %r: %s" % (result.returncode, said, line))
    if state == "new":
        if operation.purges and "but earlier states" in said:
            return DONE_BUT
        raise Problem("status %d, and the new state is there: %s: %s" % (result.returncode, said.strip(), line))
    return "said, not done"


def sample(found):
    """The first and the last occurrence of each name, in each of both phases."""
    first = {}
    last = {}
    for call in found:
        first.setdefault((call.name, call.is_startup), call)
        last[(call.name, call.is_startup)] = call
    syncs = [call for call in found if call.is_sync_of_placed]
    return list(dict.fromkeys([*first.values(), *last.values(), *syncs]))


def errors_at(place, call):
    """Those for a call of the sample, which come in turn: one before the program's own first call, where the C library
    and the Swift runtime decide."""
    if call.is_startup:
        every = TOLD_APART + ALIKE
        return [every[place % len(every)]]
    return [*TOLD_APART, ALIKE[place % len(ALIKE)]]


def main():
    arguments = sys.argv[1:]
    is_whole = "--all" in arguments
    is_good = True
    for name in (argument for argument in arguments if argument != "--all"):
        operation = OPERATIONS[name]
        with trials.Place() as folder:
            prepared = Home(folder / "prepared")
            prepared.prepare(operation)
            copy = Home(folder / "traced-1")
            copy.become(prepared)
            found = injection.calls(copy, operation, str(folder / "calls"))
            found = [call for call in found if call.name not in injection.WITHOUT_ERROR]
            chosen = found if is_whole else sample(found)
            tasks = [
                (name, call, error, prepared.mark())
                for place, call in enumerate(chosen)
                for error in (TOLD_APART + ALIKE if is_whole else errors_at(place, call))
            ]
            what = "%s: errors at %d of %d calls" % (name, len(chosen), len(found))
            is_good &= trials.all_of(what, prepared, trial, tasks, 300 if is_whole else 100)
    sys.exit(0 if is_good else 1)


main()
