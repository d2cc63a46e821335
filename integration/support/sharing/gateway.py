#!/usr/bin/env python3
"""gateway.py MODE-FILE HEARD-FILE [UPSTREAM AUTHORITY]: a gateway in front of a server, on loopback, or something else
in the server's place; it prints its port

What it does is in the mode file, which is read for each request: `ok` passes it on, `slow` passes it on and gives the reply
back once there is a file MODE-FILE.go, `tardy` takes three seconds for each item, `vault` doesn't know the method SCAN, like
HashiCorp's server. By itself, `STATUS-BODY` answers with a body that is html, json or empty, `silent` never answers, `blank` has
nothing in it, `wary` refuses everything, and `endless` has, or claims to have, too much in each of its mounts. The file of what
was heard has a line for each request: the mode, the method, the path and the token.
"""

import http.server
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.request

mode_file, heard_file = sys.argv[1:3]
if sys.argv[3:]:
    upstream = sys.argv[3]
    context = ssl.create_default_context(cafile=sys.argv[4])
BODIES = {
    "html": b"<html><body>default backend</body></html>",
    "json": b'{"message":"no Route matched with those values"}',
    "empty": b"",
}


def mode():
    with open(mode_file) as file:
        return file.read().strip()


def alone(now, method, path):
    """The status and the body by which it answers for itself in this mode, if it does."""
    mount = path.split("/")[2]
    if now == "wary":
        return 403, {"errors": ["permission denied"]}
    if now == "blank":
        return 200, {"data": {"keys": [], "type": "kv", "options": {"version": "2"}}}
    if now != "endless":
        return None
    if mount == "auth":
        return 200, {"data": {"accessor": "x", "policies": []}}
    if mount == "sys":
        return 200, {"data": {"type": "kv", "options": {"version": "2"}}}
    if method == "SCAN" and mount in ("deep", "odd"):
        return 405, {"errors": []}
    keys = {
        "deep": ["a/"], "odd": ["./", "../", "/", "a b/", "a?b/", "a%2Fb/", "a/b/"],
        "many": [f"https/h/443/-/{n}/-/-" for n in range(100001)], "large": ["x" * (9 << 20)],
    }
    return 200, {"data": {"keys": keys[mount]}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body are written apart; without this, each reply waits 40 ms for the client to acknowledge the head.
    disable_nagle_algorithm = True

    def log_message(self, *rest):
        pass

    def reply(self, status, body):
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def pass_on(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else None
        now = mode()
        with open(heard_file, "a") as heard:
            heard.write(f"{now} {self.command} {self.path} {self.headers.get('X-Vault-Token')}\n")
        if now == "silent":
            return self.rfile.read()
        answer = alone(now, self.command, self.path)
        if answer:
            return self.reply(answer[0], json.dumps(answer[1]).encode())
        if "-" in now:
            status, kind = now.split("-")
            return self.reply(int(status), BODIES[kind])
        if now == "vault" and self.command == "SCAN":
            # Whoever asks, and whatever for: Vault looks at the method first (buildLogicalRequestNoAuth).
            return self.reply(405, b'{"errors":[]}\n')
        headers = {name: value for name, value in self.headers.items() if name.lower().startswith("x-vault")}
        request = urllib.request.Request(upstream + self.path, body, headers, method=self.command)
        try:
            with urllib.request.urlopen(request, context=context) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        while now == "slow" and not os.path.exists(mode_file + ".go"):
            time.sleep(0.02)
        if now == "tardy" and "/data/" in self.path:
            time.sleep(3)
        self.reply(status, text)

    do_GET = do_POST = do_PUT = do_DELETE = do_LIST = do_SCAN = pass_on


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
