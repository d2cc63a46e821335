# shellcheck shell=bash
# What programs do with the Secret Service under test, and what they and llavero find there. After
# secret-service-provider.sh.

requires libsecret-tools

# does COMMAND...: a program or function succeeds
does() {
  status=0
  "$@" >"$CASE/stdout" 2>"$CASE/stderr" || status=$?
  if ((status != 0)); then fail "failed: $*" "$(said)"; fi
}

# fails_to COMMAND...: it doesn't succeed
fails_to() {
  status=0
  "$@" >"$CASE/stdout" 2>"$CASE/stderr" </dev/null || status=$?
  if ((status == 0)); then fail "succeeded: $*" "$(said)"; fi
}

# says TEXT COMMAND...: it succeeds and prints this, with or without a newline at the end
says() {
  local text=$1
  shift
  does "$@"
  [[ $(cat "$CASE/stdout") == "$text" ]] || fail "expected: $text" "from: $*" "$(said)"
}

# mentions TEXT COMMAND...: it succeeds and prints this among other things, on either stream
mentions() {
  local text=$1
  shift
  does "$@"
  grep -qF -- "$text" "$CASE/stdout" "$CASE/stderr" || fail "expected: $text" "from: $*" "$(said)"
}

# put SECRET LABEL NAME VALUE...: as another program's, with secret-tool, which replaces
put() {
  printf %s "$1" | secret-tool store --label="$2" "${@:3}"
}

# is_there SECRET NAME VALUE...: what another program finds under these attributes
is_there() {
  local secret=$1
  shift
  says "$secret" secret-tool lookup "$@"
}

# is_gone NAME VALUE...
is_gone() {
  status=0
  secret-tool search --all "$@" >"$CASE/stdout" 2>"$CASE/stderr" || status=$?
  if [[ -s $CASE/stdout ]]; then fail "found: $*" "$(said)"; fi
}

# number_of_items COUNT
number_of_items() {
  (($(item_count) == $1)) || fail "not $1:" "$(items_on_bus)"
}

# ours SECRET ARGUMENT...: where llavero is the service, and has a name for it, `llavero get` has the secret
ours() {
  local secret=$1
  shift
  if is_llavero && (($# > 0)); then
    says "$secret" llavero get "$@"
    encrypted
  fi
}

# not_ours ARGUMENT...: where llavero is the service, `llavero get` finds nothing
not_ours() {
  if is_llavero && (($# > 0)); then fails_to llavero get "$@"; fi
}

# encrypted: no secret of the case is in the service's files as it is
encrypted() {
  [[ -s $VAULT ]] || fail "there is no file $VAULT"
  # shellcheck disable=SC2153 # messages.sh sets it
  if grep -rqF "$SECRET" "$XDG_DATA_HOME" "$XDG_STATE_HOME"; then fail "a secret is in a file as it is"; fi
}

# uvs HOST: uv, as the programs of secret-service-clients.sh
uvs() {
  host=$1
  attributes=(application uv service "uv:$1" target default username alice)
  place=(--service "uv:$1" --account alice)
  export UV_PREVIEW_FEATURES=native-auth UV_NO_CONFIG=1
  theirs() {
    local auth=("$(dirname "$LLAVERO_TEST_PYTHON")/uv" auth)
    case $1 in
    stores) does "${auth[@]}" login "https://$host" --username alice --password "$2" ;;
    has) says "$2" "${auth[@]}" token "https://$host" --username alice ;;
    has_none) fails_to "${auth[@]}" token "https://$host" --username alice ;;
    erases) does "${auth[@]}" logout "https://$host" --username alice ;;
    esac
  }
}

# --- a keychain with a passphrase

# with_passphrase COMMAND...: runs it beside llavero with a keychain that has a passphrase, and is unlocked
with_passphrase() {
  lock_at_end
  "${little_memory[@]}" llavero init --passphrase --passphrase-fd 3 3< <(echo passphrase) >"$CASE/init"
  unlocked
  with_provider "$@"
}

keychain_is_locked() {
  [[ $(keychain_locked) == *true* ]]
}

# A service that doesn't answer is neither.
keychain_is_unlocked() {
  [[ $(keychain_locked) == *false* ]]
}

keychain_locked() {
  gdbus call --session -d org.freedesktop.secrets -o /org/freedesktop/secrets/collection/login \
    -m org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection Locked
}

# unlocked, locked: the keychain with a passphrase is so, and the service knows it
unlocked() {
  llavero unlock --passphrase-fd 3 3< <(echo passphrase)
}

locked() {
  llavero lock
  wait_for 10 keychain_is_locked || fail "it isn't locked"
}

# serve_with_person PASSPHRASE, serve_with_nobody: starts the service; whoever is asked for the passphrase answers with
# this, or cancels. The questions are in the file $ASKED.
serve_with_person() {
  LLAVERO_ASKPASS=$SUPPORT/people/askpass-person PERSON_PASSWORD=$1 serve
}

serve_with_nobody() {
  LLAVERO_ASKPASS=$SUPPORT/people/askpass-refuses serve
}

# asked COUNT: so many questions since the last time
asked() {
  (($(wc -l <"$ASKED") == $1)) || fail "not asked $1 times:" "$(cat "$ASKED")"
  : >"$ASKED"
}
