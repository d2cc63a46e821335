#!/usr/bin/env python3
"""Asks xdg-desktop-portal for the application's secret, as a sandboxed program does: portal-secret.py [WAY]

Prints a line `RESPONSE SECRET`, both of the portal's answer: a number, and the bytes that came through the pipe in
hexadecimal. The ways: `pipe`, which reads beside the answer; `full`, whose pipe is full, and which reads only after
another request has been answered; `gone`, which closes the pipe's other end at once; `waits`, until it is ended.
"""

import fcntl
import itertools
import os
import signal
import sys
import threading

from jeepney import DBusAddress, HeaderFields, MatchRule, message_bus, new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection

PORTAL = DBusAddress(
    "/org/freedesktop/portal/desktop", bus_name="org.freedesktop.portal.Desktop", interface="org.freedesktop.portal.Secret"
)
PATIENCE = 60
tokens = itertools.count()


def ask(connection, descriptor):
    """Returns the path of the request. Its answer may come before this has returned, and is kept."""
    token = f"llavero{next(tokens)}"
    message = new_method_call(PORTAL, "RetrieveSecret", "ha{sv}", (descriptor, {"handle_token": ("s", token)}))
    reply = connection.send_and_get_reply(message, timeout=PATIENCE)
    if HeaderFields.error_name in reply.header.fields:
        sys.exit(f"{reply.header.fields[HeaderFields.error_name]}: {reply.body}")
    return reply.body[0]


def response(connection, path):
    """Waits for the answer to this request."""
    while True:
        message = connection.receive(timeout=PATIENCE)
        fields = message.header.fields
        if fields.get(HeaderFields.member) == "Response" and fields.get(HeaderFields.path) == path:
            return message.body[0]


def read_all(descriptor, into):
    with open(descriptor, "rb") as file:
        into.append(file.read())


def pipe():
    connection = connected()
    reading, writing = os.pipe()
    read = []
    reader = threading.Thread(target=read_all, args=(reading, read), daemon=True)
    reader.start()
    path = ask(connection, writing)
    os.close(writing)
    number = response(connection, path)
    reader.join(PATIENCE)
    if reader.is_alive():
        sys.exit("nobody has closed the pipe")
    print(number, read[0].hex())


def full():
    connection = connected()
    reading, writing = os.pipe()
    size = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writing, bytes(size))
    ask(connection, writing)
    os.close(writing)
    # Another program isn't held up by it.
    pipe()
    read = []
    reader = threading.Thread(target=read_all, args=(reading, read), daemon=True)
    reader.start()
    reader.join(PATIENCE)
    if reader.is_alive():
        sys.exit("nobody has closed the full pipe")
    # Whether its secret still came is for whoever has asked to see.
    print("then", read[0][size:].hex())


def gone():
    connection = connected()
    reading, writing = os.pipe()
    os.close(reading)
    path = ask(connection, writing)
    os.close(writing)
    print(response(connection, path))


def waits():
    connection = connected()
    _, writing = os.pipe()
    ask(connection, writing)
    signal.pause()


def connected():
    connection = open_dbus_connection("SESSION", enable_fds=True)
    rule = MatchRule(type="signal", interface="org.freedesktop.portal.Request", member="Response")
    Proxy(message_bus, connection).AddMatch(rule)
    return connection


{"pipe": pipe, "full": full, "gone": gone, "waits": waits}[sys.argv[1] if len(sys.argv) > 1 else "pipe"]()
