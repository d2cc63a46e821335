#!/usr/bin/env python3
"""Sixteen clients at once, and then reads, 8 at a time: secret-service-stress.py END GETS FOLDER

END is as in secret-service-worker.py. The service has to be there. What it has acknowledged has to be there in the end,
for a program that starts anew, and the service has to be the same process, with no more open files and about the same
memory as before.
"""

import base64
import json
import os
import subprocess
import sys
import time

import jeepney
import secretstorage
from jeepney.io.blocking import open_dbus_connection

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "secret-service-worker.py")
# Debian's Python has the binding of libsecret.
PYTHONS = {"libsecret": "/usr/bin/python3", "gets": "/usr/bin/python3"}
CLIENTS = ["libsecret"] * 6 + ["secretstorage"] * 6 + ["secret-tool"] * 4
# The file is in memory, and grows: of each item, up to 20 former secrets are kept.
MORE_MEMORY = 12 * 1024


def service():
    with open_dbus_connection() as bus:
        address = jeepney.DBusAddress("/", "org.freedesktop.DBus", "org.freedesktop.DBus")
        call = jeepney.new_method_call(address, "GetConnectionUnixProcessID", "s", ("org.freedesktop.secrets",))
        return bus.send_and_get_reply(call, timeout=30).body[0]


def state(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file)
    return {
        "rss": int(fields["VmRSS"].split()[0]), "anonymous": int(fields["RssAnon"].split()[0]),
        "threads": int(fields["Threads"]), "files": len(os.listdir(f"/proc/{process}/fd")),
    }  # fmt: skip


def settled(process, before):
    """The state when what belonged to the clients that have ended is gone."""
    end = time.monotonic() + 20
    while (found := state(process))["files"] > before["files"] and time.monotonic() < end:
        time.sleep(0.1)
    return found


def told(what, values):
    print(f"{what}: {values['rss']} KiB resident, {values['anonymous']} of them its own, {values['threads']} threads,"
          f" {values['files']} open files")  # fmt: skip


def run_all(commands):
    processes = [subprocess.Popen(command) for command in commands]
    return [process.wait() for process in processes]


def worker(kind, number, end, ledger):
    return (PYTHONS.get(kind, sys.executable), WORKER, kind, str(number), end, ledger)


def main():
    end, gets, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    problems = []
    # What is made once for a first client isn't counted as lost.
    warm = os.path.join(folder, "warm")
    for kind in dict.fromkeys(CLIENTS):
        if subprocess.call(worker(kind, "warm-" + kind, "20", warm)) != 0:
            sys.exit("a first client fails")
    process = service()
    before = state(process)
    told("before", before)
    ledgers = [os.path.join(folder, f"ledger-{number}") for number in range(len(CLIENTS))]
    begin = time.monotonic()
    statuses = run_all(worker(kind, number, end, ledgers[number]) for number, kind in enumerate(CLIENTS))
    if any(statuses):
        problems.append(f"clients have failed: {statuses}")
    seconds = time.monotonic() - begin
    counts = {}
    for ledger in filter(os.path.exists, ledgers):
        with open(ledger, encoding="utf-8") as file:
            for name, count in json.load(file)["counts"].items():
                counts[name] = counts.get(name, 0) + count
    print(f"{len(CLIENTS)} clients, {seconds:.0f} s: {counts}, {sum(counts.values()) / seconds:.0f} a second")
    if service() != process:
        sys.exit("the service isn't the same process")
    after = settled(process, before)
    told("after the clients", after)
    begin = time.monotonic()
    # A client with many items of its own to read.
    if any(run_all(worker("gets", 0, str(gets // 8), ledgers[0]) for _ in range(8))):
        problems.append("a get has failed")
    seconds = time.monotonic() - begin
    print(f"{gets} gets, 8 at a time: {seconds:.1f} s, {gets / seconds:.0f} a second")
    after = settled(process, before)
    told("after the gets", after)
    if after["files"] > before["files"] or after["threads"] > before["threads"] + 2:
        problems.append("open files or threads are left")
    if after["rss"] > before["rss"] + MORE_MEMORY:
        problems.append(f"the memory has grown by {after['rss'] - before['rss']} KiB")
    problems += lost(ledgers)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


def lost(ledgers):
    collection = secretstorage.get_default_collection(secretstorage.dbus_init())
    number_of_items = 0
    for number, ledger in enumerate(ledgers):
        if not os.path.exists(ledger):
            yield f"client {number} has left no ledger"
            continue
        with open(ledger, encoding="utf-8") as file:
            slots = json.load(file)["slots"]
        for slot, secret in slots.items():
            found = [item.get_secret() for item in collection.search_items({"stress": str(number), "slot": slot})]
            if found != ([] if secret is None else [base64.b64decode(secret)]):
                yield f"client {number}, {slot}: {found} in place of {secret}"
            number_of_items += len(found)
    print(f"{number_of_items} items, all as acknowledged")


main()
