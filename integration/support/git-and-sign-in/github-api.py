"""As much of GitHub's interface as `gh auth` asks for, on a Unix socket: github-api.py SOCKET TOKEN=LOGIN...

It knows these tokens, and prints a line METHOD PATH STATUS for each request.
"""

import json
import socketserver
import sys
from http.server import BaseHTTPRequestHandler

path, tokens = sys.argv[1], dict(pair.split("=", 1) for pair in sys.argv[2:])


class API(BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        login = tokens.get((self.headers.get("Authorization") or "").removeprefix("token "))
        body = {"login": login, "data": {"viewer": {"login": login}}} if login else {"message": "Bad credentials"}
        body = json.dumps(body).encode()
        status = 200 if login else 401
        print(self.command, self.path, status, flush=True)
        self.send_response(status)
        self.send_header("X-Oauth-Scopes", "repo, read:org, gist")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    # A peer at a Unix socket has no address.
    def address_string(self):
        return ""

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True


with Server(path, API) as server:
    server.serve_forever()
