#!/usr/bin/env python3
"""A web server that gives a cookie for /set, and writes a line `PATH COOKIE` for each request: cookie-server.py LOG COOKIE

It prints its port.
"""

import sys

from loopback import Handler, serve


class Cookies(Handler):
    def do_GET(self):
        with open(sys.argv[1], "a", encoding="utf-8") as log:
            print(self.path, self.headers.get("Cookie"), file=log)
        cookies = [("Set-Cookie", f"who={sys.argv[2]}; Max-Age=86400; SameSite=Lax")] if self.path == "/set" else []
        self.reply(200, f"<p>seen {self.path}".encode(), ("Content-Type", "text/html"), *cookies)


serve(Cookies)
