#!/usr/bin/env python3
"""Serves bare git repositories over http or https with Basic authentication, on loopback, for tests.

The users file has a line `user:password` for each user of all repositories, or `/prefix user:password` for
users of the paths below a prefix alone; the longest prefix decides. It is read again at each request. The
log gets a line `METHOD PATH USER STATUS` for each request, USER being `-` where none was named. It prints its
port. With --every-path, there is a copy of that repository wherever one is asked for. To docker's login it is a
registry with the same users.
"""

import argparse
import base64
import binascii
import os
import re
import shutil
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

from git_backend import GitBackend


def users_for(path, users_file):
    by_prefix = {}
    with open(users_file, encoding="utf-8") as lines:
        for line in lines.read().splitlines():
            prefix, separator, login = line.partition(" ") if line.startswith("/") else ("", " ", line)
            if ":" in login:
                by_prefix.setdefault(prefix, set()).add(login)
    fitting = [prefix for prefix in by_prefix if (path + "/").startswith(prefix.rstrip("/") + "/")]
    return by_prefix[max(fitting, key=len)] if fitting else set()


class Handler(GitBackend, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    options = None
    log_lock = threading.Lock()
    providing = threading.Lock()

    def do_GET(self):
        self.answer()

    do_POST = do_GET

    def answer(self):
        body = self.read_body()
        path, _, query = self.path.partition("?")
        path = unquote(path)
        login = self.login()
        user = login.partition(":")[0] if login is not None else None
        if login is None or login not in users_for(path, self.options.users):
            self.note(path, user, 401)
            self.respond(401, [("WWW-Authenticate", 'Basic realm="llavero tests"')], b"who are you?\n")
            return
        if path == "/v2/":
            self.note(path, user, 200)
            self.respond(200, [("Content-Type", "application/json")], b"{}")
            return
        if self.options.every_path:
            self.provide(path)
        status, headers, content = self.run_backend(self.options.root, path, query, user, body)
        self.note(path, user, status)
        self.respond(status, headers, content)

    def provide(self, path):
        """Has a repository where git asks for one."""
        found = re.fullmatch(r"/((?:(?!\.\.?/)[^/\0]+/)+)(?:info/refs|git-(?:upload|receive)-pack)", path)
        with self.providing:
            if found and not os.path.exists(repository := os.path.join(self.options.root, found[1])):
                shutil.copytree(self.options.every_path, repository)

    def login(self):
        scheme, _, value = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "basic":
            return None
        try:
            return base64.b64decode(value, validate=True).decode("utf-8", "surrogateescape")
        except (binascii.Error, ValueError):
            return None

    def note(self, path, user, status):
        with self.log_lock, open(self.options.log, "a", encoding="utf-8", errors="surrogateescape") as log:
            log.write(f"{self.command} {path} {user or '-'} {status}\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True, help="folder of bare repositories")
    parser.add_argument("--users", required=True, help="users file")
    parser.add_argument("--log", required=True, help="file that gets a line for each request")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", metavar="NAME", help="NAME.crt and NAME.key make it https")
    parser.add_argument("--every-path", metavar="REPOSITORY", help="what every repository is at first")
    Handler.options = options = parser.parse_args()

    server = Server(("127.0.0.1", options.port), Handler)
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.tls + ".crt", options.tls + ".key")
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
