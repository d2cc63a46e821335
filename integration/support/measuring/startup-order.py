"""Names what a program touches, for the linker's --symbol-ordering-file.

startup-order.py EXECUTABLE TRACE...: traces of valgrind's lackey (--trace-mem=yes). What the first touches comes first,
in its order.
"""

import bisect
import subprocess
import sys

executable, traces = sys.argv[1], sys.argv[2:]
names = {}
for line in subprocess.run(
    ["nm", "--numeric-sort", "--defined-only", executable], check=True, capture_output=True, text=True
).stdout.splitlines():
    address, kind, name = line.split(" ", 2)
    if kind not in "aAN":
        names.setdefault(int(address, 16), []).append(name)
addresses = sorted(names)
touched = {}
for trace in traces:
    with open(trace, encoding="ascii", errors="replace") as lines:
        for line in lines:
            # "I  0023a3c8,4" and " L 1ffe8ea2,8": an instruction, and a load, store or both.
            if line[:2] not in ("I ", " L", " S", " M"):
                continue
            address = int(line[3:].split(",")[0], 16)
            index = bisect.bisect_right(addresses, address) - 1
            if index >= 0 and address < addresses[-1]:
                touched.setdefault(addresses[index])
for address in touched:
    # Identical functions share one address and have several names, any of which the linker may keep.
    print("\n".join(names[address]))
