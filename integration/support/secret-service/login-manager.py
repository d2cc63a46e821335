#!/usr/bin/env python3
"""Says on the system bus what logind says: login-manager.py BUS-ADDRESS UID. It reads from standard input, and prints
`done` after each line:

sleep           the machine is about to sleep
lock UID        a session of this user is locked
end             the session has ended, and there is no other of the user
end-other       a session of another user has ended
"""

import sys
import threading

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal
from jeepney.io.threading import open_dbus_connection

NAME, PATH = "org.freedesktop.login1", "/org/freedesktop/login1"
MANAGER, SESSION = NAME + ".Manager", NAME + ".Session"


bus, user = open_dbus_connection(sys.argv[1]), int(sys.argv[2])
bus.send(message_bus.RequestName(NAME))
sessions = [("1", user, "somebody", "seat0", PATH + "/session/_31")]
users = {PATH + "/session/_31": user}


def serve():
    while True:
        message = bus.receive()
        fields = message.header.fields
        if message.header.message_type != MessageType.method_call:
            continue
        if fields[HeaderFields.member] == "ListSessions":
            bus.send(new_method_return(message, "a(susso)", (sessions,)))
        elif fields[HeaderFields.member] == "Get":
            owner = users.get(fields[HeaderFields.path], 0)
            bus.send(new_method_return(message, "v", (("(uo)", (owner, PATH + "/user/_1")),)))
        else:
            bus.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))


threading.Thread(target=serve, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "sleep":
        bus.send(new_signal(DBusAddress(PATH, interface=MANAGER), "PrepareForSleep", "b", (True,)))
    elif word == "lock":
        path = f"{PATH}/session/_{rest[0]}"
        users[path] = int(rest[0])
        bus.send(new_signal(DBusAddress(path, interface=SESSION), "Lock"))
    else:
        if word == "end":
            sessions.clear()
        body = ("1", PATH + "/session/_31")
        bus.send(new_signal(DBusAddress(PATH, interface=MANAGER), "SessionRemoved", "so", body))
    print("done", flush=True)
