#!/usr/bin/env python3
"""gateway.py PORT-FILE MODE-FILE HEARD-FILE UPSTREAM AUTHORITY: a gateway in front of a server, on loopback

What it does is in the mode file, which is read for each request: `ok` passes it on, `slow` passes it on and gives the reply
back once there is a file MODE-FILE.go, `tardy` takes three seconds for each item, `vault` doesn't know the method SCAN, like
HashiCorp's server, and `STATUS-BODY` answers by itself, with a body that is html, json or empty.
"""

import http.server
import os
import ssl
import sys
import time
import urllib.error
import urllib.request

port_file, mode_file, heard_file, upstream, authority = sys.argv[1:]
context = ssl.create_default_context(cafile=authority)
BODIES = {
    "html": b"<html><body>default backend</body></html>",
    "json": b'{"message":"no Route matched with those values"}',
    "empty": b"",
}


def mode():
    with open(mode_file) as file:
        return file.read().strip()


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
            heard.write(f"{now} {self.command} {self.path}\n")
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
with open(port_file, "w") as file:
    file.write(str(server.server_port))
server.serve_forever()
