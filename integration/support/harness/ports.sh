# shellcheck shell=bash

# free_ports [COUNT]: prints ports of loopback that nobody uses, one a line. The kernel gives none of these to a program
# that doesn't name one, so that they are still free when a server takes them a moment later, or takes one again.
free_ports() {
  python3 - "${1:-1}" <<'END'
import random, socket, sys
with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
    first = int(file.read().split()[0])
left = int(sys.argv[1])
for port in random.sample(range(10000, first), first - 10000):
    if left == 0:
        break
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    left -= 1
sys.exit(left)
END
}
