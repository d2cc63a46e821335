#!/usr/bin/env python3
"""An authorization server on loopback that misbehaves, for tests: hostile-sign-in.py FOLDER --tls PREFIX.

sign_in_server.py says what is in FOLDER. What it does is in FOLDER/behaviours, which is read again at each request:
words joined by `+`, about the token endpoint, with `once-` before those for the first request only; `plain` is one that
works, as it does without the file. Its endpoints are /authorize, /token, /device, /verify, /revoke and /NAME.git; its
metadata is where RFC 8414 and OpenID Connect say.
Everybody consents at once. A refresh token is used once; one that nobody has issued is good too.

  html (502), retry-SECONDS (429)
  redirect (to https://localhost:PORT/caught, by 302), redirect-CODE, redirect-same (to /caught here), redirect-http, loop
  endless (10 MB, and promises more), trickle (a byte a second), silent, cut (in the middle), reset (nothing at all)
  date-SECONDS (Date is so much later, or earlier if negative), date-junk
  error-CODE (400, or 401 for invalid_client), escape (an error_description with terminal escapes), escape-error,
  ok-status (200 for errors)
  newline, long-token: the access token
  expires-SECONDS, and expires-none
  scope-SCOPE

FOLDER/sent has a line WORD PATH BYTES whole|broken for each answer that was endless, trickle, silent or cut, once it is
over. What should not be sent is logged as `caught`, and as `insecure` where there is no TLS; FOLDER/insecure-port has the
port of that.
"""

import base64
import hashlib
import os
import secrets
import threading
import time
from email.utils import formatdate
from http.server import ThreadingHTTPServer
from urllib.parse import urlencode, urlsplit

from sign_in_server import LOCK, Peer, argument_parser, as_json, bind, redirect, run

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b1m\r\nllavero: signed in\u202e\x00"
ENDPOINTS = {"authorize", "token", "device", "verify", "revoke"}
METADATA_PATHS = {"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}


class Hostile(Peer):
    done = set()
    codes, access, used = {}, set(), set()

    def behaviours(self):
        try:
            with open(os.path.join(self.options.folder, "behaviours"), encoding="utf-8") as file:
                return file.read().strip() or "plain"
        except FileNotFoundError:
            return "plain"

    def kind_of(self, path):
        if self.server.context is None:
            return "insecure"
        if path.startswith("/caught"):
            return "caught"
        return path[1:] if path[1:] in ENDPOINTS else super().kind_of(path)

    def words(self):
        """Those that are about this request, with their arguments as they are."""
        behaviours = self.behaviours()
        for each in behaviours.split("+"):
            if each.startswith("once-"):
                with LOCK:
                    is_first = (behaviours, each) not in self.done
                    self.done.add((behaviours, each))
                if not is_first:
                    continue
            yield each.removeprefix("once-")

    def origin(self):
        return f"https://{self.headers.get('Host', f'127.0.0.1:{self.server.server_port}')}"

    def caught(self):
        return f"https://localhost:{self.server.server_port}/caught"

    def admits(self, token):
        return token in self.access

    def has(self, word):
        return word in self.now

    def value(self, prefix):
        """The argument of the word with this prefix, or None."""
        return next((word[len(prefix) :] for word in self.now if word.startswith(prefix)), None)

    def serve(self):
        self.now, self.sending = [], None
        super().serve()

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve

    def answer(self, path, query, body):
        kind = self.kind_of(path)
        if kind in ("caught", "insecure"):
            return as_json(self.tokens("read write"))
        issuer = self.origin()
        parameters = dict(self.parameters(query, body))
        if kind == "authorize":
            reply = self.authorize(issuer, parameters)
        elif kind == "token":
            self.now = list(self.words())
            reply = self.token(parameters)
        elif kind == "device":
            reply = as_json(self.device(issuer))
        elif path in METADATA_PATHS:
            reply = as_json(self.metadata(issuer))
        elif kind in ("verify", "revoke"):
            reply = 200, [("Content-Type", "text/html")], b"<!DOCTYPE html>done\n"
        else:
            reply = 404, [], b"no such page\n"
        return self.misbehave(reply)

    # --- What an honest server does, and what it says wrongly

    def authorize(self, issuer, parameters):
        code = secrets.token_urlsafe(16)
        with LOCK:
            self.codes[code] = parameters
        state = {"state": parameters["state"]} if "state" in parameters else {}
        answer = {"code": code, **state, "iss": issuer}
        target = parameters.get("redirect_uri", "")
        return redirect(f"{target}{'&' if '?' in target else '?'}{urlencode(answer)}")

    def metadata(self, issuer):
        return {
            "issuer": issuer,
            "authorization_endpoint": issuer + "/authorize",
            "token_endpoint": issuer + "/token",
            "device_authorization_endpoint": issuer + "/device",
            "revocation_endpoint": issuer + "/revoke",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
        }

    def device(self, issuer):
        return {
            "device_code": secrets.token_urlsafe(16),
            "user_code": "WDJB-MJHT",
            "verification_uri": issuer + "/verify",
            "verification_uri_complete": issuer + "/verify?user_code=WDJB-MJHT",
            "expires_in": 600,
            "interval": 1,
        }

    def token(self, parameters):
        error = self.value("error-")
        escapes = self.has("escape") or self.has("escape-error")
        if error or escapes:
            answer = {"error": (error or "invalid_request") + (ESCAPES if self.has("escape-error") else "")}
            if escapes:
                answer |= {"error_description": "Sorry" + ESCAPES, "error_uri": "https://evil.test/" + ESCAPES}
            return self.refusal(answer, 401 if error == "invalid_client" else 400)
        scope = "read write"
        if parameters.get("grant_type") == "authorization_code":
            code = self.codes.pop(parameters.get("code"), None)
            if code is None or code.get("redirect_uri") != parameters.get("redirect_uri"):
                return self.refusal({"error": "invalid_grant"})
            verifier = parameters.get("code_verifier", "").encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(verifier).digest()).decode().rstrip("=")
            if "code_challenge" in code and code["code_challenge"] != digest:
                return self.refusal({"error": "invalid_grant"})
            scope = code.get("scope", scope)
        elif parameters.get("grant_type") == "refresh_token":
            token = parameters.get("refresh_token", "")
            if token in self.used:
                return self.refusal({"error": "invalid_grant"})
            self.used.add(token)
        return as_json(self.spoilt(self.tokens(scope)))

    def refusal(self, answer, status=400):
        return as_json(answer, 200 if self.has("ok-status") else status)

    def tokens(self, scope):
        answer = {
            "access_token": "access-" + secrets.token_urlsafe(16),
            "token_type": "bearer",
            "expires_in": 3600,
            "refresh_token": "refresh-" + secrets.token_urlsafe(16),
            "scope": scope,
        }
        self.access.add(answer["access_token"])
        return answer

    def spoilt(self, answer):
        if self.has("newline"):
            answer["access_token"] += "\nhost=evil.test"
        if self.has("long-token"):
            answer["access_token"] += "x" * 60000
        self.access.add(answer["access_token"])
        expires = self.value("expires-")
        if expires == "none":
            del answer["expires_in"]
        elif expires is not None:
            answer["expires_in"] = int(expires)
        if self.value("scope-"):
            answer["scope"] = self.value("scope-")
        return answer

    # --- How it says it

    def misbehave(self, reply):
        status, headers, content = reply
        for word in self.now:
            if word == "html":
                page = b"<!DOCTYPE html><title>502</title><script>alert(1)</script>bad gateway, token=hunter2\n"
                return 502, [("Content-Type", "text/html")], page
            if word.startswith("retry-"):
                return 429, [("Retry-After", word[6:]), ("Content-Type", "text/plain")], b"hunter2\n"
            if word == "redirect-same":
                return redirect(f"{self.origin()}/caught")
            if word == "redirect-http":
                return redirect(f"http://127.0.0.1:{self.server.insecure_port}/")
            if word.startswith("redirect"):
                return redirect(self.caught(), int(word[9:] or 302))
            if word == "loop":
                return redirect(self.path)
            if word in ("endless", "trickle", "silent", "cut", "reset"):
                self.sending = word
        return status, headers, content

    def reply(self, status, headers, content):
        shift = self.value("date-")
        if shift == "junk":
            headers = [*headers, ("Date", "the day after tomorrow")]
        elif shift is not None:
            headers = [*headers, ("Date", formatdate(time.time() + int(shift), usegmt=True))]
        if self.sending is None:
            super().reply(status, headers, content)
            return
        self.close_connection = True
        if self.sending == "reset":
            return
        written, whole = 0, False
        try:
            if self.sending == "silent":
                # Until the client has enough.
                self.rfile.read(1)
                return
            self.send_response_only(status)
            length = {"cut": len(content) + 1000, "endless": 10**12}.get(self.sending, len(content))
            for name, value in [*headers, ("Content-Length", str(length))]:
                self.send_header(name, value)
            self.end_headers()
            step = 1 if self.sending == "trickle" else 65536
            if self.sending == "endless":
                content = b" " * (10 << 20)
            for start in range(0, len(content), step):
                written += self.wfile.write(content[start : start + step])
                if self.sending == "trickle":
                    time.sleep(1)
            whole = self.sending != "endless"
        finally:
            with LOCK, open(self.options.folder + "/sent", "a", encoding="utf-8") as sent:
                print(self.sending, urlsplit(self.path).path, written, "whole" if whole else "broken", file=sent)


def main():
    options = argument_parser(__doc__).parse_args()
    server = bind(Hostile, options)
    insecure = ThreadingHTTPServer(("127.0.0.1", 0), Hostile)
    insecure.context, insecure.insecure_port = None, insecure.server_port
    insecure.daemon_threads = True
    server.insecure_port = insecure.server_port
    with open(options.folder + "/insecure-port", "w", encoding="ascii") as file:
        print(insecure.server_port, file=file)
    threading.Thread(target=insecure.serve_forever, daemon=True).start()
    run(server)


if __name__ == "__main__":
    main()
