"""A sparse cargo registry on loopback that wants a token for everything: cargo-registry.py FOLDER TOKEN.

Prints its port, and writes one line for each request into FOLDER/requests: method, path, status.
"""

import hashlib
import io
import json
import sys
import tarfile

from loopback import Handler, serve

folder, token = sys.argv[1:]


def crate():
    """one-1.0.0.crate: a package with an empty library"""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, text in [
            ("Cargo.toml", '[package]\nname = "one"\nversion = "1.0.0"\nedition = "2021"\n'),
            ("src/lib.rs", ""),
        ]:
            entry = tarfile.TarInfo("one-1.0.0/" + name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return buffer.getvalue()


CRATE = crate()
LINE = {
    "name": "one",
    "vers": "1.0.0",
    "deps": [],
    "cksum": hashlib.sha256(CRATE).hexdigest(),
    "features": {},
    "yanked": False,
}

# Contents of the index by path. After publishing, cargo waits up to a minute for the package to appear.
INDEX = {"/index/3/o/one": LINE}


def publish(body):
    """Takes a package into the index: the length of a JSON text in four bytes, that text, and the package likewise."""
    end = 4 + int.from_bytes(body[:4], "little")
    about = json.loads(body[4:end])
    checksum = hashlib.sha256(body[end + 4 :]).hexdigest()
    name = about["name"]
    assert len(name) == 3, "names of other lengths lie elsewhere"
    INDEX[f"/index/3/{name[0]}/{name}"] = {**LINE, "name": name, "vers": about["vers"], "cksum": checksum}


class Registry(Handler):
    def answer(self):
        request = self.body()
        base = f"http://127.0.0.1:{self.server.server_port}"
        status, body = 404, b""
        if self.headers.get("Authorization") != token:
            status = 401
        elif self.path == "/index/config.json":
            body = json.dumps({"dl": base + "/dl", "api": base, "auth-required": True}).encode()
            status = 200
        elif self.path in INDEX:
            status, body = 200, json.dumps(INDEX[self.path]).encode() + b"\n"
        elif self.path == "/dl/one/1.0.0/download":
            status, body = 200, CRATE
        elif self.command == "PUT" and self.path == "/api/v1/crates/new":
            publish(request)
            status, body = 200, b'{"warnings":{"invalid_categories":[],"invalid_badges":[],"other":[]}}'
        with open(folder + "/requests", "a", encoding="utf-8") as requests:
            print(self.command, self.path, status, file=requests)
        challenge = [("WWW-Authenticate", f'Cargo login_url="{base}/me"')]
        self.reply(status, body, *(challenge if status == 401 else []))

    do_GET = do_PUT = answer


serve(Registry)
