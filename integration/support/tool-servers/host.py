#!/usr/bin/env python3
"""host.py [--private] FOLDER SECRET [TLS]: serves FOLDER/files and a module of Terraform's on 127.0.0.1, and prints the port.
It also says to `terraform login` who has logged in.

What is below /private, or with --private all of it, goes to alice alone: with SECRET as her password, or as a token. The
rest is for everybody, and so is the module's archive, which terraform fetches like any URL.
Every request goes to FOLDER/requests: its path, and the login that it came with. TLS.crt and TLS.key make it https.
"""
import base64
import functools
import os
import ssl
import sys
from http.server import SimpleHTTPRequestHandler

import loopback

ALL = sys.argv[1] == "--private"
FOLDER, SECRET, *TLS = sys.argv[1 + ALL:]
ADMITTED = {
    SECRET, "Bearer " + SECRET, "Basic " + base64.b64encode(f"alice:{SECRET}".encode()).decode(),
}  # fmt: skip
MODULE = "/v1/modules/acme/one/null/"
ARCHIVE = "/one.tar.gz"
PERSON = b'{"data":{"id":"user-1","type":"users","attributes":{"username":"alice"}}}'


class Host(loopback.Handler, SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        login = self.headers.get("Authorization")
        with open(os.path.join(FOLDER, "requests"), "a") as log:
            log.write(f"{self.path} {login}\n")
        prefix = "/private" if self.path.startswith("/private/") else ""
        if (prefix or ALL) and self.path.partition("?")[0] != ARCHIVE and login not in ADMITTED:
            return self.answer(401, b"who are you?\n", ("WWW-Authenticate", 'Basic realm="tests"'))
        if self.path == prefix + MODULE + "versions":
            return self.answer(200, b'{"modules":[{"versions":[{"version":"1.0.0"}]}]}')
        if self.path == prefix + MODULE + "1.0.0/download":
            archive = f"http://127.0.0.1:{self.server.server_port}{ARCHIVE}?archive=tar.gz"
            return self.answer(204, b"", ("X-Terraform-Get", archive))
        if self.path == prefix + "/tfe/v2/account/details":
            return self.answer(200, PERSON)
        if self.path == prefix + "/tfe/v2/ping":
            return self.answer(204, b"")
        return super().do_GET()

    def answer(self, status, body, *headers):
        self.reply(status, body, ("Content-Type", "application/json"), *headers)


handler = functools.partial(Host, directory=os.path.join(FOLDER, "files"))
context = None
if TLS:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS[0] + ".crt", TLS[0] + ".key")
loopback.serve(handler, context)
