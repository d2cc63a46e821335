#!/usr/bin/env python3
"""Plays a fixed session with an ssh agent, and prints each reply as it came, in hexadecimal: agent-session.py SOCKET

With another agent between, nothing of it may differ. What is in it: adding keys with and without a time, listing, signing,
locking, binds right and wrong, extensions and types that nobody knows, removing.

agent-session.py --serve SOCKET: is such an agent itself. It answers each frame with a hash of its bytes, and `query` as
OpenSSH 10.3 does, with a further reply that nobody has asked for.
"""

import hashlib
import socket
import struct
import sys
import threading

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from ssh_agent import frame, read_frame, string


def serve(path):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen(100)

    def answer(connection):
        try:
            while True:
                request = read_frame(connection)
                if request[4:] == bytes([27]) + string(b"query"):
                    names = string(b"query") + string(b"stranger@example.com")
                    connection.sendall(frame(bytes([29]) + string(b"query") + names) + frame(bytes([6])))
                else:
                    connection.sendall(frame(bytes([99]) + hashlib.sha256(request).digest()))
        except (EOFError, OSError):
            connection.close()

    while True:
        threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()


def key(number):
    """A key that is the same each time, so that its signatures are."""
    private = ed25519.Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
    raw, public = serialization.Encoding.Raw, private.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw
    )
    secret = private.private_bytes(raw, serialization.PrivateFormat.Raw, serialization.NoEncryption())
    blob = string(b"ssh-ed25519") + string(public)
    return private, blob, string(b"ssh-ed25519") + string(public) + string(secret + public) + string(b"key %d" % number)


def bind(number, session, flag=1, more=b"", bad=False):
    private, blob, _ = key(number)
    signature = private.sign(session)
    if bad:
        signature = bytes([signature[0] ^ 1]) + signature[1:]
    contents = string(blob) + string(session) + string(string(b"ssh-ed25519") + string(signature)) + bytes([flag])
    return bytes([27]) + string(b"session-bind@openssh.com") + contents + more


def requests():
    """Each is a list of messages that go over one connection."""
    (_, one, adding_one), (_, two, adding_two) = key(1), key(2)
    everything = [b"\x0b", b"\x13", b"\x11" + adding_one, b"\x19" + adding_two + b"\x01" + struct.pack(">I", 600), b"\x0b"]
    for blob in [one, two, one[:-1] + b"x"]:
        everything.append(b"\x0d" + string(blob) + string(b"something to sign") + struct.pack(">I", 0))
    # A key that one may only use to log in to one host.
    hop = string(b"") + string(b"") + string(b"")
    to_hop = string(b"") + string(b"host") + string(b"") + string(key(3)[1]) + b"\0"
    constraint = string(string(string(hop) + string(to_hop) + string(b"")))
    everything.append(b"\x19" + key(4)[2] + b"\xff" + string(b"restrict-destination-v00@openssh.com") + constraint)
    everything += [b"\x16" + string(b"secret"), b"\x0b", b"\x17" + string(b"wrong"), b"\x17" + string(b"secret"), b"\x0b"]
    for name in [b"stranger@example.com", b"session-bind@openssh.org", b""]:
        everything.append(b"\x1b" + string(name) + b"contents")
    everything += [b"\x1b", b"\x01", b"\xc8" + bytes(1000), b"\xff", b"\x1b\xff\xff\xff\xff", b"\x0d", b"\x12" + string(one)]
    yield everything
    yield [bind(3, b"s" * 32), b"\x0b", bind(3, b"t" * 64, 0), b"\x0b", bind(3, b"u" * 32), b"\x0b"]
    yield [bind(3, b"s" * 32, 7), b"\x0b"]
    yield [bind(3, b"s" * 128), bind(3, b"t" * 129), b"\x0b"]
    yield [bind(3, b"s" * 32, 1, b"more"), b"\x0b"]
    yield [bind(3, b"s" * 32, bad=True), bind(3, b"s" * 32), b"\x0b"]
    yield [bind(3, b"s" * 32), bind(5, b"s" * 32), b"\x0b"]
    yield [bind(3, bytes([number]) * 32) for number in range(17)] + [b"\x0b"]
    yield [b"\xc8" + bytes(200_000), b"\x0b"]
    yield [b"\x13", b"\x0b"]


def play(path):
    for messages in requests():
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(path)
        connection.settimeout(20)
        for message in messages:
            connection.sendall(frame(message))
            try:
                print(message[:1].hex(), read_frame(connection).hex())
            except (EOFError, ConnectionError):
                print(message[:1].hex(), "end")
                break
        connection.close()
        print()


if sys.argv[1] == "--serve":
    serve(sys.argv[2])
else:
    play(sys.argv[1])
