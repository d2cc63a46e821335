#!/usr/bin/env python3
"""Kills a service that the bus has started at the calls of one operation: secret-service-kills.py OPERATION [COUNT]

OPERATION is store or delete. Without COUNT, it is killed at every call that can have to do with a
write, in every thread; with it, at so many of them. Each time the client gets an answer or an error. The service that
the bus starts then has what was acknowledged and nothing half, and the next client goes on. Needs root.
"""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import secret_service as bus

CALLS = (
    "openat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,sync_file_range,syncfs,"
    "rename,renameat,renameat2,link,linkat,symlinkat,unlink,unlinkat,ftruncate,fallocate,"
    "fchmod,fchmodat,fchown,mkdir,mkdirat,rmdir,flock,fcntl,close,sendmsg,copy_file_range,"
    "ioctl,utimensat,lseek,newfstatat,fstat,statx"
)
FOLDERS = [os.environ["XDG_DATA_HOME"] + "/llavero", os.environ["XDG_STATE_HOME"] + "/llavero"]
KEPT = re.compile(r"(lock|generations|vault\.age|\.vault\.age\.newest-[0-9a-f]+)$")
WANTED = {"name": "wanted"}
OLD, NEW = b"old-secret-of-the-item", b"new-secret-of-the-item"


def store(client, _):
    client.create({"name": "stored"}, NEW, "stored")


def delete(client, path):
    client.call(path, "Item.Delete")


def expected(operation, old, path):
    """The items after it; without paths, because a new one's isn't known."""
    new = dict(old)
    if operation is store:
        new[""] = ("stored", {"name": "stored"}, NEW)
    else:
        del new[path]
    return contents(new)


def contents(items):
    return sorted(repr((name, sorted(attributes.items()), secret)) for name, attributes, secret in items.values())


class Kept:
    """The folders, as they were."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        for number, folder in enumerate(FOLDERS):
            shutil.copytree(folder, f"{self.folder}/{number}", copy_function=shutil.copy2)

    def restore(self):
        for number, folder in enumerate(FOLDERS):
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(f"{self.folder}/{number}", folder, copy_function=shutil.copy2)

    def remove(self):
        shutil.rmtree(self.folder)


def traced(process, *options):
    """strace, when it has got hold of all threads."""
    tracer = subprocess.Popen(("strace", "-f", "-p", str(process), *options), stderr=subprocess.PIPE, text=True)
    for line in tracer.stderr:
        if " attached" in line:
            return tracer
    raise SystemExit("strace can't trace the service")


def kinds(log):
    """Each call and its number, counted in each thread by itself, as strace does."""
    counts = collections.Counter()
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = re.match(r"(\d+) +([a-z0-9_]+)\(", line)
            if match:
                counts[match.groups()] += 1
    most = collections.Counter()
    for (_, name), count in counts.items():
        most[name] = max(most[name], count)
    return [(name, number) for name in sorted(most) for number in range(1, most[name] + 1)]


def attempt(operation, path):
    with bus.Client() as client:
        try:
            operation(client, path)
            return True
        except bus.Refused as error:
            # Killed before the call, it leaves it to the next, which has no session of this client yet.
            if error.name.removeprefix("org.freedesktop.") not in (
                "DBus.Error.NoReply", "DBus.Error.ServiceUnknown", "Secret.Error.NoSession"):  # fmt: skip
                raise
            return False


def trial(operation, path, old, call, number):
    with bus.Client() as client:
        client.session()
        process = client.process()
    tracer = traced(process, "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}")
    is_acknowledged = attempt(operation, path)
    was_reached = True
    if is_acknowledged:
        # It may be killed a moment after its answer.
        try:
            bus.until(lambda: not bus.is_running(process), "", 0.3)
        except bus.Unmet:
            was_reached = False
            bus.end(process)
    tracer.communicate()
    bus.is_over(process)
    with bus.Client() as client:
        found = contents(client.contents())
        new = expected(operation, old, path)
        if found != new and (is_acknowledged or found != contents(old)):
            raise AssertionError(f"acknowledged: {is_acknowledged}, and there is {found}")
        # What a killed writer leaves is removed after an hour.
        for name in left_behind():
            os.utime(f"{FOLDERS[0]}/{name}", (1_700_000_000, 1_700_000_000))
        client.create({"name": "next"}, b"next", "next")
        assert [secret for _, _, secret in client.contents({"name": "next"}).values()] == [b"next"]
        listed = subprocess.run(("llavero", "list", "--class", "secret"), capture_output=True, text=True)
        assert listed.returncode == 0 and listed.stdout.count("\n") == len(found) + 2, listed
        after = client.process()
    bus.end(after)
    assert not left_behind(), f"left behind: {left_behind()}"
    return ("acknowledged and " if is_acknowledged else "") + ("new" if found == new else "old") + (
        "" if was_reached else ", not reached")  # fmt: skip


def left_behind():
    return [name for name in os.listdir(FOLDERS[0]) if not KEPT.match(name)]


def main():
    operation = {"store": store, "delete": delete}[sys.argv[1]]
    with bus.Client() as client:
        for name in ("first", "second"):
            client.create({"name": name}, name.encode(), name)
        path = client.create(WANTED, OLD, "wanted")
        old = client.contents()
        process = client.process()
    bus.end(process)
    kept = Kept()
    with bus.Client() as client:
        client.session()
        process = client.process()
    log = kept.folder + "/log"
    tracer = traced(process, "-o", log, "-e", "trace=" + CALLS)
    assert attempt(operation, path)
    bus.end(process)
    tracer.communicate()
    calls = kinds(log)
    all_calls = len(calls)
    if len(sys.argv) > 2:
        calls = [calls[index * all_calls // int(sys.argv[2])] for index in range(int(sys.argv[2]))]
    outcomes, problems = collections.Counter(), []
    for call, number in calls:
        kept.restore()
        try:
            outcomes[trial(operation, path, old, call, number)] += 1
        except (AssertionError, bus.Refused) as error:
            problems.append(f"killed at {call} {number}: {error}")
    kept.remove()
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"{sys.argv[1]}: killed at {len(calls)} of {all_calls} calls: {told}")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems or sum(outcomes.values()) < 8 else 0)


main()
