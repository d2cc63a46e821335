#!/usr/bin/env python3
"""As much of GitHub's interface as an app needs for its tokens: github-app.py FOLDER CERTIFICATE, with CERTIFICATE.crt/.key.

FOLDER/app.pub is the public key of the app 4711, which acme has installed for the repositories one and two. It prints its
port, and writes a line METHOD PATH STATUS [REPOSITORIES] for each request into FOLDER/requests. FOLDER/life is the life of
the tokens in seconds (3600), FOLDER/clock what is added to its clock.
"""

import datetime
import os
import sys
import time

from cryptography.exceptions import InvalidSignature

from signed_tokens import Interface, parts, serve

FOLDER, CERTIFICATE = sys.argv[1:]
REPOSITORIES = ("one", "two")


def number(name, otherwise):
    try:
        with open(os.path.join(FOLDER, name), encoding="ascii") as file:
            return int(file.read())
    except FileNotFoundError:
        return otherwise


def is_app(header):
    """Whether it is a proof as GitHub demands: RS256, of ten minutes at most, by the app."""
    scheme, _, token = header.partition(" ")
    if scheme != "Bearer" or token.count(".") != 2 or "=" in token:
        return False
    try:
        head, claims = parts(token, os.path.join(FOLDER, "app.pub"))
    except InvalidSignature:
        return False
    now = time.time() + number("clock", 0)
    return (
        head["alg"] == "RS256"
        and claims["iss"] == "4711"
        and claims["iat"] <= now < claims["exp"] <= now + 600
    )


class GitHub(Interface):
    content_type = "application/json; charset=utf-8"

    def answer(self):
        wanted = self.body().get("repositories", [])
        path = self.path.removeprefix("/api/v3").lower()
        installed = ["/orgs/acme/installation"] + [f"/repos/acme/{name}/installation" for name in REPOSITORIES]
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
        self.reply(status, reply)

    def token(self):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=number("life", 3600))
        # As long as GitHub's are today.
        return {"token": "ghs_4711_" + os.urandom(255).hex(), "expires_at": end.strftime("%Y-%m-%dT%H:%M:%SZ")}

    do_GET = do_POST = answer


serve(GitHub, CERTIFICATE)
