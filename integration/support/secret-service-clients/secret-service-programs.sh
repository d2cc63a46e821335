# shellcheck shell=bash
# What programs do with the Secret Service under test, and what they and llavero find there. After
# secret-service-provider.sh.

requires libsecret-tools

# put SECRET LABEL NAME VALUE...: as another program's, with secret-tool, which replaces
put() {
  printf %s "$1" | secret-tool store --label="$2" "${@:3}"
}

# is_there SECRET NAME VALUE...: what another program finds under these attributes
is_there() {
  prints "$1" secret-tool lookup "${@:2}"
}

# is_gone NAME VALUE...
is_gone() {
  run secret-tool search --all "$@"
  if [[ -s $CASE/stdout ]]; then fail "found: $*" "$(said)"; fi
}

# number_of_items COUNT
number_of_items() {
  (($(item_count) == $1)) || fail "not $1:" "$(items_on_bus)"
}

# used_by PROGRAM: what it keeps is replaced, survives, is found by others and by llavero, and goes; it finds what
# others have stored for it. If it isn't found by a place, but by $label: to delete what isn't there is no error.
used_by() {
  "$1" two.example.com
  put theirs "another's" "${attributes[@]}"
  theirs has theirs
  "$1" example.com
  theirs has_none
  theirs stores old
  theirs stores "$SECRET"
  number_of_items 2
  if [[ -n ${label:-} ]]; then is_listed "$label"; fi
  restart_provider
  theirs has "$SECRET"
  is_there "$SECRET" "${attributes[@]}"
  put changed 'the same' "${attributes[@]}"
  theirs has changed
  theirs stores "$SECRET"
  ours "$SECRET" ${place[@]+"${place[@]}"}
  theirs erases
  theirs has_none
  is_gone "${attributes[@]}"
  not_ours ${place[@]+"${place[@]}"}
  if [[ -n ${label:-} ]]; then theirs erases; fi
  "$1" two.example.com
  theirs has theirs
  number_of_items 1
}

# is_listed LABEL: where llavero is the service, it lists an item of another program's kind, without its secret
is_listed() {
  if is_llavero; then
    succeeds_showing "$1" llavero list --class secret
    encrypted
  fi
}

# ours SECRET ARGUMENT...: where llavero is the service, and has a name for it, `llavero get` has the secret
ours() {
  if is_llavero && (($# > 1)); then
    prints "$1" llavero get "${@:2}"
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
    stores) succeeds "${auth[@]}" login "https://$host" --username alice --password "$2" ;;
    has) prints "$2" "${auth[@]}" token "https://$host" --username alice ;;
    has_none) fails_to "${auth[@]}" token "https://$host" --username alice ;;
    erases) succeeds "${auth[@]}" logout "https://$host" --username alice ;;
    esac
  }
}

# --- a keychain with a passphrase

# with_passphrase COMMAND...: runs it beside llavero with a keychain that has a passphrase, and is unlocked
with_passphrase() {
  has_passphrase
  with_provider "$@"
}

has_passphrase() {
  lock_at_end
  "${little_memory[@]}" llavero init --passphrase --passphrase-fd 3 3< <(echo passphrase) >"$CASE/init"
  unlocked
}

# A service that doesn't answer is neither.
keychain_is_locked() {
  [[ $(keyring_locked) == true ]]
}

keychain_is_unlocked() {
  [[ $(keyring_locked) == false ]]
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

# locked_with SERVING...: it is served so anew, and locked
locked_with() {
  stop_provider
  "$@"
  locked
}

# asked COUNT: so many questions since the last time
asked() {
  (($(wc -l <"$ASKED") == $1)) || fail "not asked $1 times:" "$(cat "$ASKED")"
  : >"$ASKED"
}
