"""Calls Syncthing's interface: GET or POST ADDRESS PATH, printing the answer; or SYNCED ADDRESS DEVICE, which
succeeds if that device is connected and has all of the folder, and this one is idle and has all of it, too."""

import json
import sys
import urllib.error
import urllib.request

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def call(method, address, path):
    request = urllib.request.Request(f"http://{address}/rest/{path}", method=method, headers={"X-API-Key": "key"})
    with DIRECT.open(request, timeout=20) as answer:
        return answer.read().decode()


def is_synced(address, device):
    connections = json.loads(call("GET", address, "system/connections"))["connections"]
    if not connections.get(device, {}).get("connected"):
        return False
    status = json.loads(call("GET", address, "db/status?folder=vault"))
    other = json.loads(call("GET", address, f"db/completion?folder=vault&device={device}"))
    return status["state"] == "idle" and status["needTotalItems"] == 0 and other["needItems"] == 0


try:
    if sys.argv[1] == "SYNCED":
        sys.exit(0 if is_synced(*sys.argv[2:]) else 1)
    print(call(*sys.argv[1:]))
except (urllib.error.URLError, OSError) as error:
    print(error)
    sys.exit(1)
