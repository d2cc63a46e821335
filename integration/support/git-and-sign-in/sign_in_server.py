"""What the servers that sign people in for tests have in common: TLS on loopback, a log, faults, and git behind a token.

A server is started as `NAME.py FOLDER --tls PREFIX [OPTION...]`, with PREFIX.crt and PREFIX.key. It prints its port once
it answers. In FOLDER it keeps:

  log           a line for each request: KIND GRANT CLIENT OUTCOME METHOD PATH, then NAME=VALUE for what came with it.
                OUTCOME is `ok`, the OAuth error or the status. Secrets appear as `#` and twelve digits of their SHA-256.
  next          what happens to the next requests for tokens, or to revoke them, a line for each: `pass`; `lose`, where
                the answer doesn't come, although the request was carried out; `wait SECONDS`; `status CODE
                [RETRY-AFTER]`, where the request isn't carried out; `hold`, alone or before one of these, where the
                answer waits until there is FOLDER/go.
  repositories  bare repositories, served at /NAME.git to those with a valid access token
  lfs           the objects of git LFS there
  end           where it is there, it goes with the next object of git LFS, after which all access tokens are over
"""

import argparse
import base64
import binascii
import hashlib
import io
import json
import os
import re
import ssl
import sys
import threading
import time
from email.utils import formatdate
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, unquote_plus, urlsplit

from git_backend import GitBackend
from git_lfs import GitLFS

# Parameters that the log has as they are.
SHOWN = {
    "action", "client_id", "code_challenge_method", "error", "grant_type", "redirect_uri", "resource", "response_mode",
    "response_type", "scope", "token_type_hint",
}  # fmt: skip
LOCK = threading.Lock()


def fingerprint(text):
    return "#" + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12]


def basic(headers):
    """The user and password that a request names, or None."""
    scheme, _, value = headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        user, _, password = base64.b64decode(value, validate=True).decode("utf-8", "surrogateescape").partition(":")
    except (binascii.Error, ValueError):
        return None
    return user, password


def token_of(headers):
    """The access token that a request has, as Bearer or as password of any user."""
    scheme, _, value = headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    login = basic(headers)
    return login[1] if login else None


class Peer(GitBackend, GitLFS, BaseHTTPRequestHandler):
    """Answers a request, and logs it before the answer goes out.

    A server defines `answer`, and `admits` for its repositories.
    """

    protocol_version = "HTTP/1.1"
    options = None
    # The kinds of the paths that the log names; what isn't here is `other`.
    kinds = {}

    def answer(self, path, query, body):
        """Status, headers and content."""
        raise NotImplementedError

    def admits(self, token):
        raise NotImplementedError

    def end_tokens(self):
        """Ends all access tokens."""
        raise NotImplementedError

    def kind_of(self, path):
        if ".git/" in path:
            return "git"
        if path.startswith("/.well-known/"):
            return "metadata"
        for prefix, kind in self.kinds.items():
            if path == prefix or path.startswith(prefix + "/"):
                return kind
        return "other"

    def serve(self):
        body = self.read_body()
        path, _, query = self.path.partition("?")
        path = unquote(path)
        kind = self.kind_of(path)
        fault = self.next_fault() if kind in ("token", "revoke") else ["pass"]
        is_held = fault[0] == "hold"
        if is_held:
            fault = fault[1:] or ["pass"]
        if fault[0] == "status":
            headers = [("Retry-After", " ".join(fault[2:]))] if fault[2:] else []
            reply = int(fault[1]), [*headers, ("Content-Type", "text/plain")], b"try again\n"
        elif kind == "git":
            reply = self.serve_git(path, query, body)
        else:
            reply = self.answer(path, query, body)
        if kind != "control":
            self.note(kind, path, query, body, "lost" if fault[0] == "lose" else self.outcome(kind, reply))
        if fault[0] == "wait":
            time.sleep(float(fault[1]))
        while is_held and not os.path.exists(os.path.join(self.options.folder, "go")):
            time.sleep(0.02)
        if fault[0] == "lose":
            self.close_connection = True
            return
        self.reply(*reply)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = serve

    def reply(self, status, headers, content):
        names = {name.lower() for name, _ in headers}
        headers = [*headers, *([] if "date" in names else [("Date", formatdate(usegmt=True))])]
        self.respond(status, headers, b"" if self.command == "HEAD" else content)

    def serve_git(self, path, query, body):
        token = token_of(self.headers)
        if token is None or not self.admits(token):
            return 401, [("WWW-Authenticate", 'Basic realm="forge"')], b"sign in\n"
        if self.is_lfs(path):
            reply = self.serve_lfs(os.path.join(self.options.folder, "lfs"), path, body)
            if "/objects/batch" not in path and "/objects/" in path:
                self.end_if_told()
            return reply
        user = (basic(self.headers) or ("bearer", ""))[0]
        return self.run_backend(os.path.join(self.options.folder, "repositories"), path, query, user, body)

    def end_if_told(self):
        try:
            os.unlink(os.path.join(self.options.folder, "end"))
        except FileNotFoundError:
            return
        self.end_tokens()

    def next_fault(self):
        file = os.path.join(self.options.folder, "next")
        with LOCK:
            try:
                with open(file, encoding="utf-8") as lines:
                    first, *others = lines.read().splitlines() or [""]
            except FileNotFoundError:
                return ["pass"]
            with open(file, "w", encoding="utf-8") as lines:
                lines.writelines(line + "\n" for line in others)
        return first.split() or ["pass"]

    def parameters(self, query, body):
        pairs = parse_qsl(query, keep_blank_values=True)
        if self.headers.get("Content-Type", "").startswith("application/x-www-form-urlencoded"):
            pairs += parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
        return pairs

    def outcome(self, kind, reply):
        status, headers, content = reply
        if kind in ("token", "device"):
            try:
                answer = json.loads(content)
                error = answer.get("error")
            except (ValueError, AttributeError, RecursionError):
                error = None
            if isinstance(error, str):
                return quote(error, safe="") or "-"
        if kind == "authorize" and status in (302, 303):
            location = next((value for name, value in headers if name.lower() == "location"), "")
            return dict(parse_qsl(urlsplit(location).query)).get("error", "ok")
        return "ok" if status == 200 else str(status)

    def note(self, kind, path, query, body, outcome):
        pairs = self.parameters(query, body)
        login = basic(self.headers)
        by_name = dict(pairs)
        grant = by_name.get("grant_type", "-").rpartition(":")[2]
        client = by_name.get("client_id") or (login and kind != "git" and unquote_plus(login[0])) or "-"
        if login:
            auth = f"basic:{login[0]}:{fingerprint(login[1])}"
        elif "Authorization" in self.headers:
            scheme, _, value = self.headers["Authorization"].partition(" ")
            auth = f"{scheme.lower()}:{fingerprint(value.strip())}"
        else:
            auth = "none"
        fields = [kind, grant, client, outcome, self.command, path]
        named = [
            ("at", f"{time.time():.3f}"),
            ("auth", auth),
            *((name, value if name in SHOWN else fingerprint(value)) for name, value in pairs if kind != "git"),
        ]
        words = [quote(field, safe="/:.,-_") or "-" for field in fields]
        words += [quote(name, safe="") + "=" + quote(value, safe="/:.,;*-_#") for name, value in named]
        with LOCK, open(os.path.join(self.options.folder, "log"), "a", encoding="utf-8") as log:
            log.write(" ".join(words) + "\n")

    def log_message(self, *arguments):
        pass


class WSGIPeer(Peer):
    """Answers with a WSGI application."""

    application = None

    def answer(self, path, query, body):
        environment = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            "PATH_INFO": path.encode().decode("latin-1"),
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": str(self.server.server_port),
            "SERVER_PROTOCOL": self.request_version,
            "REMOTE_ADDR": self.client_address[0],
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "https",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name, value in self.headers.items():
            if name.lower() not in ("content-type", "content-length"):
                environment["HTTP_" + re.sub("[^A-Z0-9]", "_", name.upper())] = value
        head = []
        # The class would make a method of it.
        parts = type(self).__dict__["application"](environment, lambda status, headers, *_: head.extend((status, headers)))
        try:
            content = b"".join(parts)
        finally:
            if hasattr(parts, "close"):
                parts.close()
        status, headers = head[-2:]
        return int(status.split()[0]), headers, content


class Server(ThreadingHTTPServer):
    """Makes the TLS connection in the thread that answers, so that a silent client holds up nobody."""

    daemon_threads = True
    request_queue_size = 128
    context = None

    def finish_request(self, request, client_address):
        try:
            request = self.context.wrap_socket(request, server_side=True)
        except OSError:
            return
        try:
            super().finish_request(request, client_address)
        except OSError:
            pass
        finally:
            try:
                request.close()
            except OSError:
                pass


def context_of(options):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.tls + ".crt", options.tls + ".key")
    if options.client_ca:
        context.load_verify_locations(options.client_ca)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def argument_parser(text):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where the server keeps its files")
    parser.add_argument("--tls", required=True, help="PREFIX of PREFIX.crt and PREFIX.key")
    parser.add_argument("--client-ca", help="only admit clients with a certificate of this authority")
    parser.add_argument("--port", type=int, default=0, help="a certain port, instead of a free one")
    parser.add_argument("--token-life", type=int, default=3600, metavar="SECONDS", help="of access tokens")
    return parser


def bind(handler, options):
    """A server that listens and doesn't answer yet, for those who need to know the port."""
    handler.options = options
    server = Server(("127.0.0.1", options.port), handler)
    server.context = context_of(options)
    return server


def run(server):
    print(server.server_port, flush=True)
    server.serve_forever()


def redirect(location, status=HTTPStatus.FOUND):
    return int(status), [("Location", location)], b""


def as_json(answer, status=200):
    content = json.dumps(answer).encode()
    return int(status), [("Content-Type", "application/json"), ("Cache-Control", "no-store")], content
