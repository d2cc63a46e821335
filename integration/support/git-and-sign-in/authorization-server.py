#!/usr/bin/env python3
"""Answers http requests on loopback with the user and password that they name, in base64, for tests.

authorization-server.py FOLDER: prints its port, and writes into FOLDER/requests a line `PATH BASE64` for each request
that named some. Others get a 401.
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        scheme, _, login = self.headers.get("Authorization", "").partition(" ")
        self.send_response(200 if scheme == "Basic" else 401)
        if scheme != "Basic":
            self.send_header("WWW-Authenticate", 'Basic realm="tests"')
            login = "nobody"
        else:
            with open(os.path.join(folder, "requests"), "a", encoding="ascii") as requests:
                requests.write(f"{self.path} {login}\n")
        body = (login + "\n").encode()
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
