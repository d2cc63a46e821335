#!/usr/bin/env python3
"""Talks to an agent's socket as no honest client does.

agent-client.py SOCKET garbage | halves | crowd | silent: ends with status 0 if the agent has behaved.
agent-client.py SOCKET is-refused: status 0 if it hangs up without an answer.
agent-client.py SOCKET play-dead READY: is a server itself, which never answers. With each connection, it writes down
what the earlier ones have said.
agent-client.py SOCKET knock: connects, so that such a server writes down all that was said before, and then "a knock".
"""

import os
import random
import socket
import struct
import sys
import time

from ssh_agent import frame

path, what = sys.argv[1:3]
STATE = bytes([1, 4]) + b"0" * 36
KNOCK = b"K"


def connect():
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # With a time-out it would not wait for a place in the queue.
    client.connect(path)
    client.settimeout(20)
    return client


def answers(client):
    """Whether a proper request is answered with "not kept"."""
    try:
        client.sendall(frame(STATE))
        return client.recv(5) == b"\0\0\0\1\1"
    except OSError:
        return False


def hangs_up(client):
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def garbage():
    for seed in range(2000):
        generator = random.Random(seed)
        client = connect()
        if generator.random() < 0.5:
            body = bytes([generator.choice([0, 1, 1, 1, 2, 255]), generator.randrange(10)])
            body += generator.randbytes(generator.choice([0, 1, 35, 36, 37, 44, 100, 140, 254]))
            data = frame(body) if generator.random() < 0.8 else struct.pack(">I", generator.getrandbits(32)) + body
        else:
            data = generator.randbytes(generator.randrange(1, 4096))
        # The only request that the agent would understand, and that would forget other keys.
        if data[4:6] == bytes([1, 6]):
            data = data[:5] + b"\x07" + data[6:]
        try:
            client.sendall(data)
        except OSError:
            pass
        client.close()
        if seed % 100 == 0:
            assert answers(connect()), seed


def halves():
    whole = frame(STATE)
    clients = []
    for count in range(1, len(whole)):
        client = connect()
        client.sendall(whole[:count])
        clients.append(client)
    begin = time.monotonic()
    assert answers(connect())
    assert time.monotonic() - begin < 3
    for client in clients:
        assert hangs_up(client)
    assert time.monotonic() - begin < 30
    # Byte by byte, but in time.
    client = connect()
    for byte in whole:
        client.sendall(bytes([byte]))
        time.sleep(0.005)
    assert client.recv(5) == b"\0\0\0\1\1"
    # Several at once.
    client = connect()
    client.sendall(whole * 20)
    received = b""
    while len(received) < 100:
        part = client.recv(100)
        assert part
        received += part
    assert received == b"\0\0\0\1\1" * 20


def crowd():
    clients = []
    for _ in range(1000):
        clients.append(connect())
    assert answers(connect())
    cut = sum(hangs_up(client) for client in clients)
    assert cut == 1000, cut


def silent():
    begin = time.monotonic()
    assert hangs_up(connect())
    assert 2 < time.monotonic() - begin < 20


def is_refused():
    client = connect()
    assert not answers(client)


def play_dead():
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    os.chmod(path, 0o777)
    server.listen(100)
    open(sys.argv[3], "w").close()
    held = []
    while True:
        connection, _ = server.accept()
        with open(sys.argv[3], "a") as heard:
            print("a connection after:", *map(said, held), file=heard)
        held.append(connection)


def said(connection):
    try:
        first = connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK)
    except BlockingIOError:
        return "silence"
    return "a knock" if first == KNOCK else "words" if first else "silence"


def knock():
    first = connect()
    first.sendall(KNOCK)
    connect()


globals()[what.replace("-", "_")]()
