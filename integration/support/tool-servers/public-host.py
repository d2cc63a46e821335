#!/usr/bin/env python3
"""public-host.py FOLDER: serves a folder and a module of Terraform's to everybody on 127.0.0.1, and prints the port.

Every request goes to FOLDER/requests: its path, and the login that it came with. Nobody is ever asked for one.
"""
import functools
import http.server
import os
import sys

FOLDER = sys.argv[1]


class Host(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        with open(os.path.join(FOLDER, "requests"), "a") as log:
            log.write(f"{self.path} {self.headers.get('Authorization')}\n")
        if self.path == "/v1/modules/acme/one/null/versions":
            return self.answer(200, b'{"modules":[{"versions":[{"version":"1.0.0"}]}]}')
        if self.path == "/v1/modules/acme/one/null/1.0.0/download":
            return self.answer(204, b"", ("X-Terraform-Get", f"http://127.0.0.1:{self.server.server_port}/one.tar.gz?archive=tar.gz"))
        return super().do_GET()

    def answer(self, status, body, *headers):
        self.send_response(status)
        for name, value in [("Content-Type", "application/json"), *headers]:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


handler = functools.partial(Host, directory=os.path.join(FOLDER, "files"))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
