#!/usr/bin/python3
"""kills.py [--again] OPERATION...: kills each operation at every system call that it makes. The old state or the new
one is there afterwards, and the next store works.

With --again, the operation is tried again in every kind of state that a kill leaves, and killed at every call again.
"""

import re
import sys

import injection
import trials
from operations import NEIGHBOUR, NEW, OLD, OPERATIONS, Home, Problem


def trial(home, log, name, call, before):
    operation = OPERATIONS[name]
    state = kill(home, log, operation, call, before)
    home.next_store_works()
    return state


def kill(home, log, operation, call, before):
    result, is_hit, _ = injection.run(home, operation, call, "signal=KILL", log)
    state = home.state(operation, before)
    if result.stdout:
        raise Problem("it wrote to stdout: %r" % result.stdout)
    if not is_hit:
        # The call was made fewer times than before, for example because of a wait for the lock.
        if result.returncode != 0 or state != "new":
            raise Problem("not killed, status %d, %s state" % (result.returncode, state))
        return "not reached"
    if any(home.holds(password) for password in (OLD, NEW, NEIGHBOUR)):
        raise Problem("a password lies about in the clear")
    return "left the %s state" % state


def trial_again(home, log, name, call, first, before):
    """Kills the operation at its first attempt, and at its second one in the same home: a copy of a home is another
    machine's, and what was broken off there isn't its own."""
    kill(home, log, OPERATIONS[name], first, before)
    return trial(home, log, name, call, home.mark())


def kinds_of_states(prepared, operation, tasks, folder):
    """For each set of files that a kill leaves, the first call that was killed for it, and the calls of the next attempt."""
    kinds = {}
    home = Home(folder / "killed")
    for _, call, before in tasks:
        home.become(prepared)
        kill(home, str(folder / "strace"), operation, call, before)
        files = sorted(
            (re.sub("[0-9a-f]{16}", "*", str(path.relative_to(home.path))), path.stat().st_size)
            for path in home.path.rglob("*")
        )
        kind = (repr(files), home.mark() == before)
        if kind not in kinds:
            kinds[kind] = (call, injection.calls(home, operation, str(folder / "calls")))
    return list(kinds.values())


def tasks_in(prepared, name, folder):
    operation = OPERATIONS[name]
    copy = Home(folder / "traced")
    copy.become(prepared)
    found = injection.calls(copy, operation, str(folder / "calls"))
    return [(name, call, prepared.mark()) for call in found if call.name != "execve"]


def main():
    names = [argument for argument in sys.argv[1:] if argument != "--again"]
    is_good = True
    for name in names:
        with trials.Place() as folder:
            prepared = Home(folder / "prepared")
            prepared.prepare(OPERATIONS[name])
            tasks = tasks_in(prepared, name, folder)
            what = "%s: kills at %d kinds of calls" % (name, len({call.name for _, call, _ in tasks}))
            is_good &= trials.all_of(what, prepared, trial, tasks, 100)
            if "--again" not in sys.argv:
                continue
            for first, calls in kinds_of_states(prepared, OPERATIONS[name], tasks, folder):
                # If the kill left the new state, nothing remains to be done, or an erase finds nothing.
                what = "%s, killed at %s and tried again: kills" % (name, first)
                again = [(name, call, first, prepared.mark()) for call in calls if call.name != "execve"]
                is_good &= trials.all_of(what, prepared, trial_again, again, 50)
    sys.exit(0 if is_good else 1)


main()
