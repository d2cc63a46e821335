# shellcheck shell=bash
# Programs and libraries that use a Secret Service, with functions for those that are called by several suites.

requires golang-docker-credential-helpers libsecret-tools
requires_python keyring

docker_store() { # SERVER USER SECRET
  printf '{"ServerURL":"%s","Username":"%s","Secret":"%s"}\n' "$@" | docker-credential-secretservice store
}

docker_get() { # SERVER
  printf %s "$1" | docker-credential-secretservice get
}

python_keyring() { # COMMAND SERVICE ACCOUNT
  PYTHON_KEYRING_BACKEND=keyring.backends.SecretService.Keyring "$LLAVERO_TEST_PYTHON" -m keyring "$@"
}

# secretstorage PYTHON [SECRET]: runs code with `collection`, the default one, and the secret in sys.argv[2]
secretstorage() {
  "$LLAVERO_TEST_PYTHON" - "$1" "${2:-$SECRET}" <<'PYTHON'
import contextlib, secretstorage, sys
place = {"protocol": "https", "server": "example.com"}
with contextlib.closing(secretstorage.dbus_init()) as connection:
    collection = secretstorage.get_default_collection(connection)
    exec(sys.argv[1])
PYTHON
}
