"""llavero's keychain for programs that import Python's keyring: twine, poetry, hatch, pdm and others.

Set up in ~/.config/python_keyring/keyringrc.cfg, as llavero-keyring(1) says. It runs `llavero keyring`: secrets go
through standard input and output alone.
"""

import json
import os
import shutil
import subprocess
import sys

from keyring import backend, credentials, errors

# The exit status of `llavero keyring` if there is no such password.
NOT_FOUND = 1


def installed_program():
    """The llavero that this file was installed with, else the one on the PATH; None if there is neither."""
    folder = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.normpath(os.path.join(folder, "..", "..", "bin", "llavero"))
    return beside if os.access(beside, os.X_OK) else shutil.which("llavero")


class Priority:
    """How much keyring prefers this one, where none is configured; an error where it can't be used."""

    def __get__(self, instance, owner):
        if not (os.environ.get("KEYRING_PROPERTY_PROGRAM") or installed_program()):
            raise RuntimeError("llavero is not on the PATH")
        return 6


class Keyring(backend.KeyringBackend):
    """llavero's keychain"""

    # KEYRING_PROPERTY_PROGRAM can name another program.
    program = None

    priority = Priority()

    def get_password(self, service, username):
        found = self._get("password", service, username)
        return None if found is None else found["password"]

    def get_credential(self, service, username):
        found = self._get("creds", service, *([] if username is None else [username]))
        return found and credentials.SimpleCredential(found["username"], found["password"])

    def set_password(self, service, username, password):
        # llavero removes one line feed from the end.
        result = self._run("set", "--", service, username, given=password + "\n")
        if result.returncode != 0:
            raise errors.PasswordSetError(self._reason(result))

    def delete_password(self, service, username):
        result = self._run("del", "--", service, username)
        if result.returncode == NOT_FOUND:
            raise errors.PasswordDeleteError(self._reason(result))
        if result.returncode != 0:
            raise errors.KeyringError(self._reason(result))

    def _get(self, mode, *names):
        result = self._run("get", "--output=json", "--mode=" + mode, "--", *names)
        if result.returncode == NOT_FOUND:
            return None
        if result.returncode != 0:
            raise errors.KeyringError(self._reason(result))
        return json.loads(result.stdout)

    def _run(self, *arguments, given=None):
        program = self.program or installed_program()
        if program is None:
            raise errors.InitError("llavero is not on the PATH")
        try:
            result = subprocess.run(
                [program, "keyring", *arguments],
                input=None if given is None else given.encode(),
                stdin=subprocess.DEVNULL if given is None else None,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                check=False,
            )
        except OSError as error:
            raise errors.InitError("cannot run {}: {}".format(program, error.strerror)) from error
        if result.returncode == 0 and result.stderr:
            # For example, where the keychain was created.
            sys.stderr.write(self._reason(result) + "\n")
        return result

    @staticmethod
    def _reason(result):
        if result.returncode < 0:
            return "llavero was ended by signal {}".format(-result.returncode)
        return result.stderr.decode("utf-8", "replace").strip()
