# shellcheck shell=bash
# A separate home, so that no test sees or changes the files of the user who runs it.

# requires PACKAGE..., requires_python PACKAGE...: what a suite needs from Debian and from PyPI; integration/requirements
# reads these lines
requires() { :; }
requires_python() { :; }
# if_long LINE: the same for what only the cases of the long form need
if_long() { :; }
# requires_source PACKAGE...: source distributions from PyPI whose tests a suite runs; they are unpacked in
# .build/sources/PACKAGE-VERSION
requires_source() { :; }
# requires_debian_source PACKAGE...: source packages of Debian whose tests a suite runs; they are unpacked in
# .build/sources/PACKAGE
requires_debian_source() { :; }
# extracts PACKAGE...: packages from Debian whose files a suite needs, and which are not to be installed, because they
# would start a service; they are in .build/extracted/PACKAGE
extracts() { :; }

# clean_environment: unsets every variable that git, a desktop or an earlier case could have set
clean_environment() {
  local name
  for name in $(compgen -e); do
    case $name in
    # These are for the suite, not for a case.
    LLAVERO_TEST_FOLDER | LLAVERO_TEST_FOLDERS | LLAVERO_TEST_TIMES | SUPERVISED) unset "$name" ;;
    LLAVERO_TEST_*) ;;
    GIT_* | XDG_* | LLAVERO_* | SSH_ASKPASS* | SSH_AUTH_SOCK | DBUS_* | DISPLAY | WAYLAND_DISPLAY | EMAIL | *_proxy | *_PROXY | \
      DOCKER_* | REGISTRY_AUTH_FILE | NETRC | GH_* | PASSWORD_STORE_* | GNUPGHOME | TF_* | AWS_* | GOENV | GOAUTH | GOPROXY | KUBE* | PIP_* | UV_* | WGETRC | SUDO_ASKPASS | ANSIBLE_* | \
      BAO_* | VAULT_*)
      unset "$name"
      ;;
    esac
  done
}

# use_home FOLDER: makes the folder's `home` the home of all following commands
use_home() {
  export HOME=$1/home
  export XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state
  export XDG_CONFIG_HOME=$HOME/.config XDG_CACHE_HOME=$HOME/.cache XDG_RUNTIME_DIR=$1/run
  export GIT_CONFIG_GLOBAL=$HOME/.gitconfig GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
  export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=$SUPPORT/people/askpass-refuses ASKED=$1/asked
  export LC_ALL=C.UTF-8 PATH=$PREFIX/bin:$BASE_PATH
  VAULT=$XDG_DATA_HOME/llavero/vault.age
  IDENTITY=$XDG_STATE_HOME/llavero/identity.txt
  LOCK=$XDG_DATA_HOME/llavero/lock
  export VAULT IDENTITY LOCK
  install -d -m 700 "$HOME" "$XDG_RUNTIME_DIR"
}

# fresh_home: makes an empty home, and sets $CASE to the folder around it, for the files of the test itself
fresh_home() {
  CASE=$(mktemp -d "$SUITE_TMP/case.XXXXXX")
  clean_environment
  use_home "$CASE"
  export LLAVERO_KEYCHAIN=${KEYCHAIN-file}
  if [[ -n ${UNLOCK_CACHE:-} ]]; then export LLAVERO_UNLOCK_CACHE=$UNLOCK_CACHE; fi
  : >"$ASKED"
  cd "$CASE" || return
}

# snapshot: the name, kind, mode, owner, size, time of change and hash of every file in the home
snapshot() {
  {
    find "$HOME" -type d -printf '%p d %m %U\n'
    find "$HOME" ! -type d -printf '%p %y %m %U %s %T@ %l\n'
    find "$HOME" -type f -exec sha256sum {} +
  } </dev/null | LC_ALL=C sort
}

BASE_PATH=$PATH
