#!/usr/bin/python3 -W ignore
"""Keeps a virtual machine's password with the code of virt-manager, whose folder comes first: virt-manager-secrets.py
FOLDER set|get|delete MACHINE [PASSWORD]"""

import importlib.util
import logging
import sys
import types


class Machine:
    """What that code asks of a machine and of its connection."""

    def __init__(self, uuid):
        self.uuid = uuid
        self.conn = self

    def get_uuid(self):
        return self.uuid

    def get_uri(self):
        return "qemu:///system"

    def get_console_username(self):
        return "alice"

    def set_console_username(self, name):
        pass

    def del_console_username(self):
        pass


class Object:
    _instance = None

    def __init__(self):
        pass


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)


# Its base class is about windows, and it logs what it can't do.
module("virtManager", __path__=[])
module("virtManager.lib", __path__=[])
module("virtManager.baseclass", vmmGObject=Object)
module("virtinst", log=logging.getLogger("virt-manager"))
path = f"{sys.argv[1]}/usr/share/virt-manager/virtManager/lib/keyring.py"
specification = importlib.util.spec_from_file_location("virtManager.lib.keyring", path)
keyring = importlib.util.module_from_spec(specification)
specification.loader.exec_module(keyring)

secrets, machine = keyring.vmmKeyring(), Machine(sys.argv[3])
if not secrets.is_available():
    sys.exit("there is no keyring")
if sys.argv[2] == "set":
    secrets.set_console_password(machine, sys.argv[4], "alice")
elif sys.argv[2] == "get":
    print(*secrets.get_console_password(machine))
else:
    secrets.del_console_password(machine)
