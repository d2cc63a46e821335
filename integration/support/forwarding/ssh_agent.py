"""The frames of the ssh agent's protocol, for the programs here that load it."""

import struct


def string(data):
    return struct.pack(">I", len(data)) + data


# A message, in front of which is its length.
frame = string


def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def read_frame(connection):
    head = receive(connection, 4)
    return head + receive(connection, struct.unpack(">I", head)[0])
