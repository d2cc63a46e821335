"""Runs many trials on all processors, each in a home that is a copy of a prepared one, and tells how they ended."""

import os
import shutil
import sys
import tempfile
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

from injection import workers
from operations import Home, Problem

_home = None
_prepared = None
_trial = None
_log = None


def _begin(folder, prepared, trial):
    global _home, _prepared, _trial, _log
    _home = Home(Path(folder) / ("home-%d" % os.getpid()))
    _log = str(Path(folder) / ("strace-%d" % os.getpid()))
    _prepared = prepared
    _trial = trial


def _one(task):
    _home.become(_prepared)
    try:
        return task, _trial(_home, _log, *task), None
    except Problem as problem:
        return task, None, str(problem)


def run(prepared, trial, tasks, processes=None):
    """Calls trial(home, log, *task) for each task; it returns what the trial counts as, or raises Problem.

    Returns how many counted as what, and (task, problem) for those that went wrong."""
    outcomes = Counter()
    problems = []
    # Beside the prepared home, with a path of the same length, because folders along it are made one by one.
    folder = prepared.path.parent
    with get_context("fork").Pool(processes or workers(), _begin, (folder, prepared, trial)) as pool:
        for task, outcome, problem in pool.imap_unordered(_one, tasks, chunksize=4):
            if problem is None:
                outcomes[outcome] += 1
            else:
                problems.append((task, problem))
    return outcomes, problems


def all_of(what, prepared, trial, tasks, least):
    """Runs and tells trials of which nearly all have to be reached."""
    outcomes, problems = run(prepared, trial, tasks)
    if outcomes["not reached"] > len(tasks) // 50:
        problems.append((("not reached", ""), "%d calls" % outcomes["not reached"]))
    return tell(what, outcomes, problems, least)


def tell(name, outcomes, problems, least):
    """Prints the counts and the problems, and ends with status 1 if there are any or the trials were too few."""
    total = sum(outcomes.values()) + len(problems)
    print("%s: %d, of these %s" % (name, total, ", ".join("%d %s" % (n, o) for o, n in sorted(outcomes.items()))))
    # Show one problem for each first two parts of a task: the same call with another error usually tells the same.
    kinds = {}
    for task, problem in problems:
        kinds.setdefault(task[:2], []).append("  %s: %s" % (" ".join(map(str, task[:-1])), problem))
    for lines in list(kinds.values())[:20]:
        print(lines[0] + (" (and %d like it)" % (len(lines) - 1) if len(lines) > 1 else ""))
    if len(kinds) > 20:
        print("  and %d more" % (len(kinds) - 20))
    if total < least:
        print("  too few to be a proof: at least %d are expected" % least)
    sys.stdout.flush()
    return not problems and total >= least


class Place:
    """A temporary folder, below the suite's own where there is one."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="faults-", dir=os.environ.get("CASE")))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
