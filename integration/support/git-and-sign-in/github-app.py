#!/usr/bin/env python3
"""As much of GitHub's interface as an app needs for its tokens: github-app.py FOLDER CERTIFICATE, with CERTIFICATE.crt/.key.

FOLDER/app.pub is the public key of the app 4711, which acme has installed for the repositories one and two. It prints its
port, and writes a line METHOD PATH STATUS [REPOSITORIES] for each request into FOLDER/requests. FOLDER/life is the life of
the tokens in seconds (3600), FOLDER/clock what is added to its clock.
"""

import base64
import datetime
import json
import os
import ssl
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

FOLDER, CERTIFICATE = sys.argv[1:]
REPOSITORIES = ("one", "two")


def number(name, otherwise):
    try:
        with open(os.path.join(FOLDER, name), encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return otherwise


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def is_app(header):
    """Whether it is a proof as GitHub demands: RS256, of ten minutes at most, by the app."""
    scheme, _, token = header.partition(" ")
    if scheme != "Bearer" or token.count(".") != 2 or "=" in token:
        return False
    head, claims, signature = token.split(".")
    with open(os.path.join(FOLDER, "app.pub"), "rb") as file:
        key = serialization.load_pem_public_key(file.read())
    try:
        key.verify(decoded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        return False
    claims = json.loads(decoded(claims))
    now = time.time() + number("clock", 0)
    return (
        json.loads(decoded(head))["alg"] == "RS256"
        and claims["iss"] == "4711"
        and claims["iat"] <= now < claims["exp"] <= now + 600
    )


class Interface(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
        path = self.path.removeprefix("/api/v3").lower()
        installed = ["/orgs/acme/installation"] + [f"/repos/acme/{name}/installation" for name in REPOSITORIES]
        wanted = body.get("repositories", [])
        if not is_app(self.headers.get("Authorization", "")):
            status, reply = 401, {"message": "A JSON web token could not be decoded"}
        elif self.command == "GET" and path in installed:
            status, reply = 200, {"id": 99, "account": {"login": "acme"}, "permissions": {"contents": "write"}}
        elif self.command == "POST" and path == "/app/installations/99/access_tokens":
            status, reply = 201, self.token()
        else:
            status, reply = 404, {"message": "Not Found"}
        with open(os.path.join(FOLDER, "requests"), "a", encoding="utf-8") as file:
            print(self.command, path, status, *wanted, file=file)
        text = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def token(self):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=number("life", 3600))
        # As long as GitHub's are today.
        return {"token": "ghs_4711_" + os.urandom(255).hex(), "expires_at": end.strftime("%Y-%m-%dT%H:%M:%SZ")}

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Interface)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE + ".crt", CERTIFICATE + ".key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
