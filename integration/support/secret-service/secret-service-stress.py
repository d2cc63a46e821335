#!/usr/bin/env python3
"""Sixteen clients at once, each in a process of its own: secret-service-stress.py SECONDS|killed

Each stores, replaces, reads, searches and deletes in slots of its own, and each answer has to be what it was told last. In the
end that has to be there for a client that starts anew, and the service has to be the same process, with no more open files
and about the same memory as before. With "killed", each stores until the service is killed: what was acknowledged is there.
"""

import multiprocessing
import os
import random
import sys
import time

from secret_service import ENCRYPTED, PLAIN, Client, Refused, Unmet, demand, equal, kill, until

CLIENTS, SLOTS, LENGTHS = 16, 12, (0, 1, 15, 16, 17, 300, 5000)
# The file is in memory, and grows: of each item, up to 20 former secrets are kept.
MORE_MEMORY = 12 * 1024


def work(number, seconds):
    """What is in its slots when the time is over, and how many rounds there were."""
    slots, rounds, end = {}, 0, time.monotonic() + seconds
    with Client() as client:
        client.alias("default")
        session = client.session(ENCRYPTED if number % 2 else PLAIN)
        while time.monotonic() < end:
            rounds += 1
            slot = str(random.randrange(SLOTS))
            attributes = {"stress": str(number), "slot": slot}
            found = client.found(attributes)
            equal([client.secret(item, session) for item in found], [slots[slot]] if slot in slots else [], slot)
            what = random.choices(("put", "delete", "count"), (5, 1, 1))[0]
            if what == "put":
                secret = random.randbytes(random.choice(LENGTHS))
                client.create(attributes, secret, replace=True, session=session)
                slots[slot] = secret
            elif what == "count":
                equal(len(client.found({"stress": str(number)})), len(slots), "items")
            elif found:
                client.delete(found[0])
                del slots[slot]
    return number, slots, rounds


def stores(number):
    """How many items were acknowledged until the service was gone."""
    count = 0
    with Client() as client:
        session = client.session(PLAIN)
        try:
            while True:
                client.create({"stress": str(number), "count": str(count)}, replace=count % 2 == 1, session=session)
                count += 1
        except Refused:
            return count


def killed():
    with Client() as client:
        client.alias("default")
        process = client.process()
    with multiprocessing.Pool(CLIENTS) as pool:
        results = pool.map_async(stores, range(CLIENTS))
        with Client() as client:
            until(lambda: len(client.found({"stress": "0"})) > 5, "items")
        kill(process)
        counts = results.get()
    print("acknowledged", counts)
    with Client() as client:
        for number, count in enumerate(counts):
            for each in range(count):
                equal(len(client.found({"stress": str(number), "count": str(each)})), 1, f"{number}, {each}")
            # One more may have been under way.
            demand(len(client.found({"stress": str(number)})) <= count + 1, "more items than were made", number)


def state(process):
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in file)
    numbers = {name: int(fields[name].split()[0]) for name in ("VmRSS", "RssAnon", "Threads")}
    return numbers | {"files": len(os.listdir(f"/proc/{process}/fd"))}


def main():
    # What is made once for a first client isn't counted as lost.
    work(CLIENTS, 1)
    with Client() as client:
        process = client.process()
    before = state(process)
    seconds = float(sys.argv[1])
    with multiprocessing.Pool(CLIENTS) as pool:
        results = pool.starmap(work, [(number, seconds) for number in range(CLIENTS)])
    print(f"{CLIENTS} clients, {seconds:.0f} s: {sum(rounds for _, _, rounds in results)} rounds")
    with Client() as client:
        equal(client.process(), process, "the service")
        for number, slots, _ in results:
            for slot in map(str, range(SLOTS)):
                found = [client.secret(item) for item in client.found({"stress": str(number), "slot": slot})]
                equal(found, [slots[slot]] if slot in slots else [], f"{number}, {slot}")
    # What belonged to the clients goes a moment later.
    until(lambda: state(process)["files"] <= before["files"], "the end of open files")
    after = state(process)
    print("before", before, "after", after)
    if after["Threads"] > before["Threads"] + 2 or after["VmRSS"] > before["VmRSS"] + MORE_MEMORY:
        raise Unmet("threads or memory are left")


if __name__ == "__main__":
    if sys.argv[1] == "killed":
        killed()
    else:
        main()
