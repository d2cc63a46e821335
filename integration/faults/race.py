#!/usr/bin/python3
"""race.py [--seconds N] [--without-lock] [--rotate]: 8 writers and 8 readers of one vault at once.

Each value is written once, so that a read tells which store it saw. With the times of all stores and reads known:
no read and no look at the end may show a value that a later, acknowledged store had replaced before, no reader
may see a value again that it saw replaced, every value read must have been stored, and every status is 0. Some keys
are erased as well, by all writers; of these the values and the statuses are judged.

With --without-lock the writers believe that they have the lock although they don't (strace answers for the kernel).
Then writers must meet, or this test would prove nothing: the status is 0 if an update gets lost, if llavero itself
notices that one generation was written twice, or if it merges what a second writer had put in the first one's place.
"""

import argparse
import bisect
import multiprocessing
import os
import random
import sys
import time
from collections import defaultdict

import trials
from operations import HELPER, OPERATIONS, Home, Problem, request

WRITERS = 8
READERS = 8
SHARED = ["shared%d.example" % number for number in range(4)]
OWN = ["own%d.example" % number for number in range(WRITERS)]
ERASED = ["erased%d.example" % number for number in range(2)]
NOT_THERE = "nothing"
UNLOCKED = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fcntl", "-e", "inject=fcntl:retval=0")


def put(home, prefix, host, value):
    start = time.monotonic()
    result = home.run(*prefix, HELPER, "store", input=request(host, "alice", value))
    if result.returncode != 0 or result.stdout:
        raise Problem("a store ends with %d: %s" % (result.returncode, result.stderr.decode().strip()))
    return host, value, start, time.monotonic()


def take_away(home, prefix, host):
    start = time.monotonic()
    result = home.run(*prefix, HELPER, "erase", input=request(host, "alice"))
    if result.returncode != 0 or result.stdout:
        raise Problem("an erase ends with %d: %s" % (result.returncode, result.stderr.decode().strip()))
    return host, NOT_THERE, start, time.monotonic()


def look(home, host):
    start = time.monotonic()
    value = home.get(host)
    return host, value or NOT_THERE, start, time.monotonic()


class Goal:
    """Some seconds, and then as many more as a busy machine needs for the least number of each kind."""

    def __init__(self, seconds, least):
        self.end = time.monotonic() + seconds
        self.limit = self.end + 120
        self.least = least
        self.counts = {kind: multiprocessing.Value("i", 0) for kind in least}

    def note(self, kind):
        if kind in self.counts:
            with self.counts[kind].get_lock():
                self.counts[kind].value += 1

    def is_enough(self):
        return all(self.counts[kind].value >= least for kind, least in self.least.items())

    def is_ahead(self):
        now = time.monotonic()
        return now < self.end or now < self.limit and not self.is_enough()


def writer(home, number, prefix, goal):
    count = 0
    while goal.is_ahead():
        count += 1
        if count % 8 == 0:
            yield take_away(home, prefix, random.choice(ERASED))
            continue
        host = OWN[number] if count % 2 else random.choice(SHARED + ERASED)
        yield put(home, prefix, host, "value-%d-%d" % (number, count))


def reader(home, number, prefix, goal):
    while goal.is_ahead():
        yield look(home, random.choice(SHARED + OWN + ERASED))


def rotator(home, number, prefix, goal):
    operation = OPERATIONS["rotate"]
    while goal.is_ahead():
        start = time.monotonic()
        result = home.run(*operation.command, input=operation.request)
        if result.returncode != 0:
            raise Problem("rotate ends with %d: %s" % (result.returncode, result.stderr.decode().strip()))
        yield "", "", start, time.monotonic()
        time.sleep(0.1)


def one_process(results, goal, work, *arguments):
    random.seed(os.getpid())
    log = []
    problem = None
    try:
        for entry in work(*arguments, goal):
            log.append(entry)
            goal.note(work.__name__)
    except Problem as error:
        problem = str(error)
    results.send((work.__name__, log, problem))


class History:
    """Who stored what when, for one key."""

    def __init__(self, stores):
        self.times = {value: (start, end) for value, start, end in stores}
        # For each finished store, in the order of their ends: the latest start so far.
        self.ends = []
        self.starts = []
        latest = float("-inf")
        for _, start, end in sorted(stores, key=lambda store: store[2]):
            latest = max(latest, start)
            self.ends.append(end)
            self.starts.append(latest)

    def fault(self, value, start, end):
        """What is wrong with this value being read from `start` to `end`; None if nothing is."""
        if value == NOT_THERE:
            written = float("-inf")
        elif value not in self.times:
            return "%s was never stored" % value
        else:
            began, written = self.times[value]
            if began > end:
                return "%s was read before it was stored" % value
        acknowledged = bisect.bisect_left(self.ends, start)
        if acknowledged > 0 and self.starts[acknowledged - 1] > written:
            return "%s had been replaced before" % value
        return None


def judge(logs):
    """The problems in what the processes saw."""
    stores = defaultdict(list)
    for name, log in logs:
        if name == "writer":
            for host, *rest in log:
                stores[host].append(rest)
    histories = {host: History(stores[host]) for host in SHARED + OWN}
    problems = []
    for name, log in logs:
        if name != "reader":
            continue
        left = defaultdict(set)
        seen = {}
        for host, value, start, end in log:
            if host in ERASED:
                if value not in [NOT_THERE, *(stored for stored, _, _ in stores[host])]:
                    problems.append("%s: %s was never stored" % (host, value))
                continue
            fault = histories[host].fault(value, start, end)
            if fault:
                problems.append("%s: %s" % (host, fault))
            if value != seen.get(host, value):
                left[host].add(seen[host])
            if value in left[host]:
                problems.append("%s: %s came back after it was seen replaced" % (host, value))
            seen[host] = value
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--without-lock", action="store_true")
    parser.add_argument("--rotate", action="store_true")
    options = parser.parse_args()
    prefix = UNLOCKED if options.without_lock else ()
    with trials.Place() as folder:
        home = Home(folder / "home")
        home.environment["LLAVERO_LOCK_TIMEOUT"] = "60"
        home.empty()
        home.store("first", "first.example")
        least = {"writer": 5 * options.seconds, "reader": 5 * options.seconds}
        if options.rotate:
            least["rotator"] = 5 if "LLAVERO_TEST_LONG" in os.environ else 2
        goal = Goal(options.seconds, {} if options.without_lock else least)
        works = [(writer, number) for number in range(WRITERS)] + [(reader, number) for number in range(READERS)]
        if options.rotate:
            works.append((rotator, 0))
        processes = []
        for work, number in works:
            receiving, sending = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(target=one_process, args=(sending, goal, work, home, number, prefix))
            process.start()
            processes.append((process, receiving))
        logs = []
        problems = []
        for process, receiving in processes:
            name, log, problem = receiving.recv()
            process.join()
            logs.append((name, log))
            if problem:
                problems.append(problem)
        # The final state is also a read, by a reader who saw nothing before.
        try:
            logs.append(("reader", [look(home, host) for host in SHARED + OWN + ERASED]))
        except Problem as problem:
            problems.append(str(problem))
        counts = {name: sum(len(log) for kind, log in logs if kind == name) for name in ("writer", "reader", "rotator")}
    problems += judge(logs)
    print(
        "%d changes, %d reads, %d rotations in %g s%s: %d wrong"
        % (counts["writer"], counts["reader"], counts["rotator"], options.seconds,
           " without a lock" if options.without_lock else "", len(problems))
    )  # fmt: skip
    if options.without_lock:
        # If two processes have written the same generation, llavero usually notices by itself.
        signs = ("replaced before", "is out of date", "merged")
        sys.exit(0 if any(sign in problem for problem in problems for sign in signs) else 1)
    for problem in problems[:10]:
        print("  " + problem)
    if not goal.is_enough():
        print("  too few to be a proof")
    sys.exit(0 if goal.is_enough() and not problems else 1)


main()
