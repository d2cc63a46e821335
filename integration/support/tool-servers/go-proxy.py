"""A module proxy on loopback over TLS that wants a header: go-proxy.py FOLDER AUTHORIZATION.

It has FOLDER/server.crt and FOLDER/server.key, and serves example.test/one below /team. Prints its port, and writes one
line for each request into FOLDER/requests: path, status.
"""

import io
import json
import ssl
import sys
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder, authorization = sys.argv[1:]
MODULE = "/team/example.test/one/@v/"


def module():
    """A module with an empty package."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("example.test/one@v1.0.0/go.mod", "module example.test/one\n")
        archive.writestr("example.test/one@v1.0.0/one.go", "package one\n")
    return buffer.getvalue()


FILES = {
    MODULE + "list": b"v1.0.0\n",
    MODULE + "v1.0.0.info": json.dumps({"Version": "v1.0.0"}).encode(),
    MODULE + "v1.0.0.mod": b"module example.test/one\n",
    MODULE + "v1.0.0.zip": module(),
}


class Proxy(BaseHTTPRequestHandler):
    def do_GET(self):
        status, body = 404, b""
        if self.headers.get("Authorization") != authorization:
            status = 401
        elif self.path in FILES:
            status, body = 200, FILES[self.path]
        with open(folder + "/requests", "a", encoding="utf-8") as requests:
            print(self.path, status, file=requests)
        self.send_response(status)
        if status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="go"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/server.crt", folder + "/server.key")
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_port, flush=True)
server.serve_forever()
