#!/usr/bin/env python3
"""Answers http requests on loopback with the user and password that they name, in base64, for tests.

authorization-server.py FOLDER: prints its port, and writes into FOLDER/requests a line `PATH BASE64` for each request
that named some. Others get a 401.
"""

import os
import sys

from loopback import Handler, serve

folder = sys.argv[1]


class Mirror(Handler):
    def do_GET(self):
        scheme, _, login = self.headers.get("Authorization", "").partition(" ")
        if scheme != "Basic":
            return self.reply(401, b"nobody\n", ("WWW-Authenticate", 'Basic realm="tests"'), ("Content-Type", "text/html"))
        with open(os.path.join(folder, "requests"), "a", encoding="ascii") as requests:
            requests.write(f"{self.path} {login}\n")
        self.reply(200, f"{login}\n".encode(), ("Content-Type", "text/html"))


serve(Mirror)
