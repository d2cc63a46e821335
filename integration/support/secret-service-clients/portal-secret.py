#!/usr/bin/env python3
"""Asks xdg-desktop-portal for the application's secret, as a sandboxed program does: portal-secret.py [WAY]

Prints a line `RESPONSE SECRET`, both of the portal's answer: a number, and the bytes that came through the pipe in
hexadecimal. The ways: `pipe`, which reads after the answer; `waits`, until it is ended.
"""

import os
import signal
import sys

from jeepney import DBusAddress, HeaderFields, MatchRule, message_bus, new_method_call
from jeepney.io.blocking import Proxy, open_dbus_connection

PORTAL = DBusAddress(
    "/org/freedesktop/portal/desktop", bus_name="org.freedesktop.portal.Desktop", interface="org.freedesktop.portal.Secret"
)
PATIENCE = 60


def ask(connection, descriptor):
    """Returns the path of the request. Its answer may come before this has returned, and is kept."""
    message = new_method_call(PORTAL, "RetrieveSecret", "ha{sv}", (descriptor, {"handle_token": ("s", "llavero")}))
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


def pipe():
    connection = connected()
    reading, writing = os.pipe()
    path = ask(connection, writing)
    os.close(writing)
    number = response(connection, path)
    # It ends only if whoever has written the secret closes the pipe.
    with open(reading, "rb") as file:
        print(number, file.read().hex())


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


{"pipe": pipe, "waits": waits}[sys.argv[1] if len(sys.argv) > 1 else "pipe"]()
