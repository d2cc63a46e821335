# shellcheck shell=bash
# Servers on loopback that sign people in by OAuth, with TLS, and a browser. sign_in_server.py, the servers' own files and
# browser say what each does. Sourced after certificate.sh and git-server.sh.

requires curl openssl
requires_python Authlib cryptography Django Flask django-oauth-toolkit oauthlib
if_long requires_python oidc-provider-mock

# make_authority: $CA certifies the servers, as forge.test, localhost and 127.0.0.1; $CLIENT.crt and $CLIENT.key are for
# clients of servers that were started with `--client-ca $CA`
make_authority() {
  CA=$CASE/authority.crt
  CLIENT=$CASE/client
  made_once authority new_authority
  # These would come before what git is told.
  unset GIT_SSL_CAINFO SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE
}

new_authority() {
  authority authority
  certified server authority DNS:forge.test,DNS:localhost,IP:127.0.0.1
  certified client authority
}

# start_peer NAME PROGRAM [OPTION...]: starts a server in the folder $CASE/NAME, and sets the variable NAME to its URL and
# peer_process to its id
start_peer() {
  local name=$1 program=$2
  shift 2
  [[ -n ${CA:-} && -e $CA ]] || make_authority
  mkdir -p "$CASE/$name"
  ln -sfn "$CASE/repositories" "$CASE/$name/repositories"
  : >"$CASE/$name/port"
  touch "$CASE/$name/log"
  background "$LLAVERO_TEST_PYTHON" "$SUPPORT/git-and-sign-in/$program" "$CASE/$name" --tls "$CASE/server" "$@" \
    >"$CASE/$name/port" \
    2>"$CASE/$name/errors"
  peer_process=$!
  wait_for 120 answers_or_ended "$peer_process" "$CASE/$name/port" || true
  [[ -s $CASE/$name/port ]] || fail "$program doesn't start" "$(cat "$CASE/$name/errors")"
  printf -v "$name" 'https://127.0.0.1:%s' "$(<"$CASE/$name/port")"
}

answers_or_ended() { # PROCESS FILE
  [[ -s $2 ]] || ! kill -0 "$1" 2>/dev/null
}

# start_django, start_authlib, start_mock, start_hostile [OPTION...]: $django and so on are their URLs
start_django() { start_peer django sign-in-django.py "$@"; }
start_authlib() { start_peer authlib sign-in-authlib.py "$@"; }
start_mock() { start_peer mock sign-in-mock.py "$@"; }
start_hostile() { start_peer hostile hostile-sign-in.py "$@"; }

# client_settings URL NAME=VALUE...: settings of Git Credential Manager for that place, whose names begin with oauth
client_settings() {
  local setting
  for setting in "${@:2}"; do
    git config --global "credential.$1.oauth${setting%%=*}" "${setting#*=}"
  done
}

# stop_peer PROCESS: ends one of them before the case does
stop_peer() {
  kill "$1"
  wait "$1" || true
}

# use_browser [WORD...]: makes support/people/browser the browser, which writes into $CASE/browser and starts afresh
use_browser() {
  rm -rf "$CASE/browser"
  mkdir -p "$CASE/browser" "$CASE/bin"
  ln -sf "$SUPPORT/people/browser" "$CASE/bin/xdg-open"
  [[ :$PATH: == *":$CASE/bin:"* ]] || PATH=$CASE/bin:$PATH
  export BROWSER=$SUPPORT/people/browser BROWSER_FOLDER=$CASE/browser BROWSER_DOES="$*" DISPLAY=:99
  export BROWSER_CURL="--cacert $CA --cert $CLIENT.crt --key $CLIENT.key"
}

# browsed: waits until the browser has done everything
browsed() {
  wait_for 60 test -e "$CASE/browser/done" || fail "the browser isn't done" "$(tail "$CASE"/browser/[a-z]*)"
}

# ask URL [OPTION...]: asks one of the servers something, with the client's certificate for those that want one
ask() {
  curl -sS --max-time 30 --noproxy '*' --cacert "$CA" --cert "$CLIENT.crt" --key "$CLIENT.key" "$@"
}

# control URL NAME [FIELD=VALUE...]: what a server does for tests
control() {
  local field fields=(--data '')
  for field in "${@:3}"; do fields+=(--data-urlencode "$field"); done
  ask -f "$1/control/$2" "${fields[@]}" >/dev/null || fail "the server doesn't know that: $*"
}

# decide URL USER_CODE accept|deny: what the person says to a device
decide() {
  local next
  next=$(ask -f -o /dev/null -w '%{redirect_url}' "$1/device/" --data-urlencode "user_code=$2" -d "action=$3")
  if [[ $next == */device-confirm/* ]]; then ask -f -o /dev/null "$next" -d "action=$3"; fi
}

# decides URL accept|deny: a step `run` for the code that the terminal shows
decides() {
  decide "$1" "$(grep -oE '^ +[A-Z0-9-]{8,9}\s*$' <<<"$SHOWN" | tail -n 1 | tr -d ' \r')" "$2"
}

# past: all tokens that llavero has have expired
past() {
  expiring 1577836800
}

# expiring TIME: what `llavero update` sets, but for times that are over
expiring() {
  local passphrase=()
  [[ -z ${PASSPHRASE_FILE:-} ]] || passphrase=(--passphrase-fd 3)
  {
    llavero export "${passphrase[@]}" 3<"${PASSPHRASE_FILE:-/dev/null}" |
      sed -nE "s/\"password_expiry_utc\":[0-9]*,//; s/\"oauth_refresh_token\"/\"password_expiry_utc\":$1,&/p" >"$CASE/expiring"
    llavero import llavero "$CASE/expiring" --on-conflict replace "${passphrase[@]}" 3<"${PASSPHRASE_FILE:-/dev/null}"
  } >"$CASE/imported" 2>&1 </dev/null || fail "it can't be changed" "$(cat "$CASE/imported")"
}

# register REDIRECT_URI: registers a client of $mock, and sets client_id and client_secret
register() {
  local answer request="{\"redirect_uris\": [\"$1\"], \"token_endpoint_auth_method\": \"client_secret_basic\"}"
  # shellcheck disable=SC2154 # start_mock sets it
  answer=$(ask -f "$mock/oauth2/clients" -H 'Content-Type: application/json' -d "$request")
  # shellcheck disable=SC2034 # for the suites
  {
    client_id=$(sed -n 's/.*"client_id": "\([^"]*\)".*/\1/p' <<<"$answer")
    client_secret=$(sed -n 's/.*"client_secret": "\([^"]*\)".*/\1/p' <<<"$answer")
  }
}

# next_answers NAME LINE...: what happens to the next requests for tokens, or to revoke them, as in sign_in_server.py
next_answers() {
  printf '%s\n' "${@:2}" >"$CASE/$1/next"
}

# logged NAME PATTERN: the number of requests whose line in the log begins like this
logged() {
  grep -cE "^$2( |\$)" "$CASE/$1/log" || true
}

# fingerprint SECRET: what the logs have in place of a secret
fingerprint() {
  printf '#%s' "$(printf '%s' "$1" | sha256sum | cut -c 1-12)"
}
