"""A package index on loopback that wants a user name and a password for everything: python-index.py FOLDER USER PASSWORD.

FOLDER/password, if it is there, has another password, and is read at each request.

It has the package `one`, under /simple/ as PEP 503 says, and takes uploads at /legacy/. Prints its port, and writes one
line for each request into FOLDER/requests: method, path, user name or -, status.
"""

import base64
import hashlib
import io
import pathlib
import sys
import zipfile

from loopback import Handler, serve

folder, user, password = sys.argv[1:]
NAME = "one-1.0.0-py3-none-any.whl"


def wheel():
    """A package with an empty module."""
    info = "one-1.0.0.dist-info/"
    files = {
        "one.py": "",
        info + "METADATA": "Metadata-Version: 2.1\nName: one\nVersion: 1.0.0\n",
        info + "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[info + "RECORD"] = "".join(name + ",,\n" for name in [*files, info + "RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


WHEEL = wheel()
LINK = f'<a href="/files/{NAME}#sha256={hashlib.sha256(WHEEL).hexdigest()}">{NAME}</a>'
PAGES = {
    "/simple/": ("text/html", b'<!DOCTYPE html><html><body><a href="/simple/one/">one</a></body></html>'),
    "/simple/one/": ("text/html", f"<!DOCTYPE html><html><body>{LINK}</body></html>".encode()),
    "/files/" + NAME: ("application/octet-stream", WHEEL),
}
with open(folder + "/" + NAME, "wb") as file:
    file.write(WHEEL)


def expected():
    """What everybody has to log in with."""
    changed = pathlib.Path(folder, "password")
    return f"{user}:{changed.read_text(encoding='utf-8').strip() if changed.exists() else password}"


class Index(Handler):
    protocol_version = "HTTP/1.1"

    def given(self):
        """What the client logs in with; None if it doesn't."""
        scheme, _, text = (self.headers.get("Authorization") or "").partition(" ")
        return base64.b64decode(text).decode() if scheme == "Basic" else None

    def answer(self):
        self.body()
        status, kind, body = 404, "text/plain", b""
        if self.given() != expected():
            status = 401
        elif self.command == "POST":
            status = 200 if self.path == "/legacy/" else 404
        elif self.path in PAGES:
            status = 200
            kind, body = PAGES[self.path]
        with open(folder + "/requests", "a", encoding="utf-8") as requests:
            who = (self.given() or "-").partition(":")[0]
            print(self.command, self.path, who or "-", status, file=requests)
        challenge = [("WWW-Authenticate", 'Basic realm="index"')]
        self.reply(status, body, ("Content-Type", kind), *(challenge if status == 401 else []))

    do_GET = do_HEAD = do_POST = answer


serve(Index)
