#!/usr/bin/env python3
"""A web server that gives a cookie for /set, and writes a line `PATH COOKIE` for each request: cookie-server.py LOG COOKIE

It prints its port.
"""

import http.server
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open(sys.argv[1], "a", encoding="utf-8") as log:
            print(self.path, self.headers.get("Cookie"), file=log)
        self.send_response(200)
        if self.path == "/set":
            self.send_header("Set-Cookie", f"who={sys.argv[2]}; Max-Age=86400; SameSite=Lax")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<p>seen {self.path}".encode())

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
