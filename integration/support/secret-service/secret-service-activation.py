#!/usr/bin/env python3
"""The time from the activation of the service by the bus to its first answer: secret-service-activation.py TIMES

Prints milliseconds, the smallest, the median and the largest, and what the last one uses of memory while it is idle.
"""

import statistics
import sys
import time

import secret_service as bus

times = []
for _ in range(int(sys.argv[1])):
    with bus.Client() as client:
        assert not bus.owned(client)
        begin = time.monotonic()
        client.call(bus.ROOT, "Service.SearchItems", "a{ss}", {"name": "wanted"})
        times.append((time.monotonic() - begin) * 1000)
        process = client.process()
    with open(f"/proc/{process}/smaps_rollup", encoding="utf-8") as file:
        fields = dict(line.split(":", 1) for line in list(file)[1:])
    memory = {name: int(fields[name].split()[0]) for name in ("Rss", "Pss", "Private_Dirty")}
    bus.end(process)
print(f"{min(times):.0f} {statistics.median(times):.0f} {max(times):.0f} ms; idle:"
      f" {memory['Rss']} KiB resident, {memory['Pss']} in proportion, {memory['Private_Dirty']} its own")  # fmt: skip
