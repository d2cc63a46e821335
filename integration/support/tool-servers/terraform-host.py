"""A host of terraform's on loopback that wants a token for everything: terraform-host.py FOLDER TOKEN.

It serves the registry of one module, and what `terraform login` asks for. Prints its port, and writes one line for each
request into FOLDER/requests: path, status.
"""

import io
import json
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder, token = sys.argv[1:]


def module():
    """A module with one output."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        text = b'output "one" {\n  value = 1\n}\n'
        entry = tarfile.TarInfo("main.tf")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return buffer.getvalue()


MODULE = module()


class Host(BaseHTTPRequestHandler):
    def do_GET(self):
        status, headers, body = 404, {}, b""
        if self.path == "/one.tar.gz":
            # Fetched like any URL, without a token.
            status, body = 200, MODULE
        elif self.headers.get("Authorization") != "Bearer " + token:
            status = 401
        elif self.path == "/v1/modules/acme/one/null/versions":
            status, body = 200, json.dumps({"modules": [{"versions": [{"version": "1.0.0"}]}]}).encode()
        elif self.path == "/v1/modules/acme/one/null/1.0.0/download":
            status = 204
            headers["X-Terraform-Get"] = f"http://127.0.0.1:{self.server.server_port}/one.tar.gz?archive=tar.gz"
        elif self.path == "/tfe/v2/account/details":
            user = {"data": {"id": "user-1", "type": "users", "attributes": {"username": "alice"}}}
            status, body = 200, json.dumps(user).encode()
            headers["Content-Type"] = "application/vnd.api+json"
        elif self.path == "/tfe/v2/ping":
            status = 204
        with open(folder + "/requests", "a", encoding="utf-8") as requests:
            print(self.path, status, file=requests)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
print(server.server_port, flush=True)
server.serve_forever()
