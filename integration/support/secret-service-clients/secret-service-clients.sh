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

secret_is() { # SECRET NAME VALUE...
  [[ $(secret-tool lookup "${@:2}") == "$1" ]]
}

is_not_found() { # NAME VALUE...
  [[ -z $(secret-tool search --all "$@" 2>/dev/null) ]]
}

python_keyring() { # COMMAND SERVICE ACCOUNT
  PYTHON_KEYRING_BACKEND=keyring.backends.SecretService.Keyring "$LLAVERO_TEST_PYTHON" -m keyring "$@"
}

# secretstorage PYTHON: runs code with `collection`, the default one
secretstorage() {
  "$LLAVERO_TEST_PYTHON" - "$1" <<'PYTHON'
import contextlib, secretstorage, sys
place = {"protocol": "https", "server": "example.com"}
with contextlib.closing(secretstorage.dbus_init()) as connection:
    collection = secretstorage.get_default_collection(connection)
    exec(sys.argv[1])
PYTHON
}

# github_at SOCKET TOKEN=NAME...: an interface of GitHub's for gh, which knows these people
github_at() {
  background python3 "$SUPPORT/git-and-sign-in/github-api.py" "$@" >"$CASE/requests"
  wait_for 20 listens "$1"
}

# --- programs

# Each is a function that says how a program keeps a login of alice's: `theirs stores SECRET`, `theirs has SECRET`, `theirs
# has_none`, which says so without a complaint, and `theirs erases`. Others find it under $attributes, and with secret-tool it is
# stored under them for the program; git asks llavero for it with $request and $user, and people name it with $place.

user=(username=alice)

# complains TEXT COMMAND...: the command fails, and says this; without a text it says nothing
complains() {
  run "${@:2}"
  ((status != 0)) || fail "succeeded: ${*:2}" "$(said)"
  if [[ -n $1 ]]; then
    says "$1"
  else
    [[ ! -s $CASE/stderr ]] || fail "it complains:" "$(said)"
  fi
}

gits_helper() { # HOST
  request=(protocol=https host="$1")
  attributes=(xdg:schema org.gnome.keyring.NetworkPassword protocol https server "$1" user alice)
  place=("https://$1")
  theirs() {
    case $1 in
    stores) c_store "${request[@]}" "${user[@]}" password="$2" ;;
    has)
      c_get "${request[@]}" "${user[@]}"
      grep -qxF "password=$2" "$CASE/stdout" || fail "git's helper finds another password" "$(said)"
      ;;
    has_none)
      c_get "${request[@]}"
      answers_nothing
      ;;
    erases) c_erase "${request[@]}" "${user[@]}" ;;
    esac
  }
}

secret_tools_login() { # HOST
  request=(protocol=https host="$1")
  attributes=(protocol https server "$1" user alice)
  place=("https://$1" --account alice)
  secret_tools
}

secret_tools_service() { # NAME
  attributes=(service "$1" username alice)
  place=(--service "$1" --account alice)
  secret_tools
}

secret_tools() {
  theirs() {
    case $1 in
    stores) printf %s "$2" | secret-tool store --label=one "${attributes[@]}" ;;
    has) prints "$2" secret-tool lookup "${attributes[@]}" ;;
    has_none) complains '' secret-tool lookup "${attributes[@]}" ;;
    erases) secret-tool clear "${attributes[@]}" ;;
    esac
  }
}

pythons_keyring() { # NAME
  name=$1
  attributes=(service "$1" username alice)
  place=(--service "$1" --account alice)
  theirs() {
    case $1 in
    # It also asks the service to replace the item with its `application` attribute.
    stores) printf '%s\n' "$2" | python_keyring set "$name" alice ;;
    has) prints "$2" python_keyring get "$name" alice ;;
    has_none) complains '' python_keyring get "$name" alice ;;
    erases) python_keyring del "$name" alice ;;
    esac
  }
}

dockers_helper() { # SERVER
  server=$1
  attributes=(xdg:schema io.docker.Credentials label 'Docker Credentials' docker_cli 1 server "$1" username alice)
  place=("https://${1#https://}" --account alice --domain docker)
  theirs() {
    case $1 in
    stores) docker_store "$server" alice "$2" ;;
    has) prints '{"ServerURL":"'"$server"'","Username":"alice","Secret":"'"$2"'"}' docker_get "$server" ;;
    has_none) complains 'credentials not found in native keychain' docker_get "$server" ;;
    erases) printf %s "$server" | docker-credential-secretservice erase ;;
    esac
  }
}
