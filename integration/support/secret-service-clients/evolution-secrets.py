#!/usr/bin/python3 -W ignore
"""Keeps an account's password as Evolution does, with its library: evolution-secrets.py store|look|delete ACCOUNT
[PASSWORD]"""

import sys

import gi

gi.require_version("EDataServer", "1.2")
from gi.repository import EDataServer

operation, account = sys.argv[1:3]
if operation == "look":
    _, secret = EDataServer.secret_store_lookup_sync(account, None)
    if secret is None:
        sys.exit("there is none")
    print(secret)
elif operation == "delete":
    EDataServer.secret_store_delete_sync(account, None)
else:
    EDataServer.secret_store_store_sync(account, sys.argv[3], f"Evolution Data Source {account}", True, None)
