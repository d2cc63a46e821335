#!/usr/bin/env python3
"""A proxy on loopback that knows CONNECT alone, for tests: connect-proxy.py FOLDER [--login USER:PASSWORD].

FOLDER/hosts has a line `HOST ADDRESS:PORT` for each host that it knows, whatever the port that is asked for; it is read
again at each request. 127.0.0.1 and localhost need no line. With --login others get a 407. Prints its port, and writes a
line into FOLDER/log for each request: method, target, user or -, status.
"""

import argparse
import base64
import binascii
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def copy(source, destination):
    try:
        while data := source.recv(65536):
            destination.sendall(data)
        destination.shutdown(socket.SHUT_WR)
    except OSError:
        for each in (source, destination):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    options = None
    lock = threading.Lock()

    def do_CONNECT(self):
        login = self.login()
        if self.options.login and login != self.options.login:
            self.refuse(407, [("Proxy-Authenticate", 'Basic realm="proxy"')])
            return
        address = self.address_of(self.path)
        if address is None:
            self.refuse(502)
            return
        try:
            server = socket.create_connection(address, timeout=10)
        except OSError:
            self.refuse(504)
            return
        server.settimeout(None)
        self.note(200)
        self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        self.close_connection = True
        with server:
            # What came with the request, if anything did, is in the buffer of rfile.
            self.connection.setblocking(False)
            early = self.rfile.peek()
            self.connection.setblocking(True)
            if early:
                server.sendall(self.rfile.read1())
            back = threading.Thread(target=copy, args=(server, self.connection), daemon=True)
            back.start()
            copy(self.connection, server)
            back.join()

    def refuse_method(self):
        self.refuse(405)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = refuse_method

    def login(self):
        scheme, _, value = self.headers.get("Proxy-Authorization", "").partition(" ")
        try:
            return base64.b64decode(value, validate=True).decode() if scheme.lower() == "basic" else None
        except (binascii.Error, ValueError):
            return None

    def address_of(self, target):
        host, _, port = target.rpartition(":")
        if host in ("127.0.0.1", "localhost"):
            return "127.0.0.1", int(port)
        try:
            with open(os.path.join(self.options.folder, "hosts"), encoding="utf-8") as lines:
                known = dict(line.split() for line in lines if line.strip())
        except FileNotFoundError:
            return None
        address, _, port = known.get(host, "").rpartition(":")
        return (address, int(port)) if address else None

    def refuse(self, status, headers=()):
        self.note(status)
        self.close_connection = True
        self.send_response_only(status)
        for name, value in [*headers, ("Content-Length", "0"), ("Connection", "close")]:
            self.send_header(name, value)
        self.end_headers()

    def note(self, status):
        user = (self.login() or "").partition(":")[0] or "-"
        with self.lock, open(os.path.join(self.options.folder, "log"), "a", encoding="utf-8") as log:
            print(self.command, self.path, user, status, file=log)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="where hosts and log are")
    parser.add_argument("--login", metavar="USER:PASSWORD", help="what clients have to log in with")
    Proxy.options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    server.daemon_threads = True
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
