#!/usr/bin/env python3
"""job-tokens.py REQUEST_TOKEN AUDIENCE TOKEN: gives out a job's token on loopback, as the services behind
ACTIONS_ID_TOKEN_REQUEST_URL do: to whoever shows the request token and names this audience. It prints its port."""

import json
import sys
from urllib.parse import parse_qs, urlsplit

from loopback import Handler, serve


class Tokens(Handler):
    def do_GET(self):
        request_token, audience, token = sys.argv[1:]
        asked = parse_qs(urlsplit(self.path).query).get("audience", [])
        if self.headers.get("Authorization") != f"bearer {request_token}":
            status, answer = 401, {"message": "not authorized"}
        elif asked != [audience]:
            status, answer = 400, {"message": f"another audience: {asked}"}
        else:
            status, answer = 200, {"count": len(token), "value": token}
        self.reply(status, json.dumps(answer).encode(), ("Content-Type", "application/json"))


serve(Tokens)
