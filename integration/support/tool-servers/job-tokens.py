#!/usr/bin/env python3
"""job-tokens.py REQUEST_TOKEN AUDIENCE TOKEN: gives out a job's token on loopback, as the services behind
ACTIONS_ID_TOKEN_REQUEST_URL do: to whoever shows the request token and names this audience. It prints its port."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        request_token, audience, token = sys.argv[1:]
        asked = parse_qs(urlsplit(self.path).query).get("audience", [])
        if self.headers.get("Authorization") != f"bearer {request_token}":
            status, answer = 401, {"message": "not authorized"}
        elif asked != [audience]:
            status, answer = 400, {"message": f"another audience: {asked}"}
        else:
            status, answer = 200, {"count": len(token), "value": token}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
