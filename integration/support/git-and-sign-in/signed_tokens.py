"""What the servers for tests have in common that let in who shows a token signed by RS256, and answer with JSON."""

import base64
import json
import ssl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def parts(token, key_file):
    """The header and the claims of a token; raises an error if nobody with the key has said them."""
    head, claims, signature = token.split(".")
    with open(key_file, "rb") as file:
        key = serialization.load_pem_public_key(file.read())
    key.verify(decoded(signature), f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    return json.loads(decoded(head)), json.loads(decoded(claims))


class Interface(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    content_type = "application/json"

    def body(self):
        return json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")

    def reply(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", self.content_type)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def serve(handler, certificate):
    """On loopback, with CERTIFICATE.crt and CERTIFICATE.key; prints its port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate + ".crt", certificate + ".key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
