#!/usr/bin/env python3
"""Runs a command as many clients that start at random moments: many-clients.py FOLDER COUNT SECONDS COMMAND...

Each client has a home of its own, a copy of FOLDER: wherever a variable of the environment begins with that folder, it
begins with the copy for the client. The file FOLDER/request is everybody's input, FOLDER/answer what everybody should be
told. Prints, tab-separated, how many were told that, and the median, the 99th percentile and the longest of the times
from start to exit in milliseconds, of all.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time


def environment(folder, home):
    return {
        name: home + value[len(folder) :] if value == folder or value.startswith(folder + "/") else value
        for name, value in os.environ.items()
    }


def main():
    folder, count, seconds, command = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
    homes = tempfile.mkdtemp(prefix="clients.", dir=os.path.dirname(folder))
    with open(os.path.join(folder, "request"), "rb") as file:
        request = file.read()
    with open(os.path.join(folder, "answer"), "rb") as file:
        answer = file.read()
    environments = []
    for number in range(count):
        home = os.path.join(homes, str(number))
        shutil.copytree(folder, home, symlinks=True)
        environments.append(environment(folder, home))
    times, told, others, lock = [], 0, [], threading.Lock()

    def client(own):
        nonlocal told
        start = time.perf_counter()
        result = subprocess.run(command, input=request, capture_output=True, env=own, check=False)
        took = (time.perf_counter() - start) * 1000
        with lock:
            times.append(took)
            if result.returncode == 0 and result.stdout == answer:
                told += 1
            else:
                others.append(result)

    threads = []
    begun = time.perf_counter()
    for moment, own in zip(sorted(random.uniform(0, seconds) for _ in range(count)), environments):
        time.sleep(max(0, begun + moment - time.perf_counter()))
        thread = threading.Thread(target=client, args=(own,))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    times.sort()
    for result in others[:3]:
        print(f"status {result.returncode}: {result.stderr.decode(errors='replace')[:300]}", file=sys.stderr)
    print(told, *(f"{times[min(count - 1, int(count * part))]:.1f}" for part in (0.5, 0.99, 1)), sep="\t")
    shutil.rmtree(homes, ignore_errors=True)


main()
