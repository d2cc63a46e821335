# shellcheck shell=bash
# What the suites about signing in do and expect.

source "$SUPPORT/harness/certificate.sh"
source "$SUPPORT/harness/ports.sh"
source "$SUPPORT/git-and-sign-in/git-server.sh"
source "$SUPPORT/git-and-sign-in/sign-in.sh"

# --- settings

# trusting: git, and with it llavero, trusts the servers' authority
trusting() {
  git config --global http.sslCAInfo "$CA"
  git config --global credential.helper llavero
}

# client URL ID AUTHORIZE TOKEN [DEVICE]
client() {
  trusting
  client_settings "$1" ClientId="$2" AuthorizeEndpoint="$3" TokenEndpoint="$4" ${5:+DeviceEndpoint="$5"}
}

# with_hostile [OPTION...], behaves WORD...: a server that works, until it is told otherwise
with_hostile() {
  start_hostile "$@"
  client "$hostile" web /authorize /token /device
}

# with_authlib CLIENT [OPTION...]: a server whose metadata says all but the client
with_authlib() {
  start_authlib "${@:2}"
  trusting
  git config --global "credential.$authlib.oauthClientId" "$1"
}

behaves() {
  local IFS=+
  echo "$*" >"$CASE/hostile/behaviours"
}

# --- steps

# sign_in URL [OPTION...]: with a browser
sign_in() {
  by_browser llavero login "$1" --browser "${@:2}"
  unset DISPLAY
}

# by_browser COMMAND...: it succeeds with a browser, which does everything
by_browser() {
  use_browser
  succeeds "$@"
  browsed
}

# expiring_login URL: one whose token is good for some seconds, as another helper has left it
expiring_login() {
  store url="$1" username=ada password=old password_expiry_utc=$(($(date +%s) + 40)) oauth_refresh_token=first
}

forget_all() {
  llavero delete --all --class internet --yes >/dev/null </dev/null
}

soon() { # all tokens are about to expire
  expiring $(($(date +%s) + 40))
}

# aged: all tokens were stored ten minutes ago
aged() {
  llavero export </dev/null >"$CASE/aged"
  sed -i "s/\"modified\":\"[^\"]*\"/\"modified\":\"$(date -u -d '-10 minutes' +%FT%T.000Z)\"/" "$CASE/aged"
  forget_all
  llavero import llavero "$CASE/aged" --on-conflict replace </dev/null 2>/dev/null
}

# on_terminal STEP... -- COMMAND..., completes STEP... -- COMMAND...: whatever the status, or with success
on_terminal() {
  local steps=() step
  while [[ $1 != -- ]]; do
    step=$1
    [[ $step != 'run '* && $step != 'enter '* ]] ||
      step="${step%% *} exec bash -euc '. $CASE/functions; ${step#* }'"
    steps+=("$step")
    shift
  done
  export CA CLIENT
  declare -f ask control decide decides shown_callback >"$CASE/functions"
  run "$SUPPORT/people/on-terminal.py" "${steps[@]}" "$@"
  status=$(sed -n '$s/^status //p' "$CASE/stdout")
  status=${status:-99}
}

completes() {
  on_terminal "$@"
  succeeded
}

# shown_callback: the address at which a browser ends that opens what the terminal shows
shown_callback() {
  BROWSER_DOES="stays keep" "$BROWSER" "$(grep -oE 'https://[^ ]*[?&]response_type=[^ ]*' <<<"$SHOWN" | tail -n 1 | tr -d '\r')"
  printf '%s\r' "$(<"$BROWSER_FOLDER/callback")"
}

# --- what is expected

# answered URL: asks as git does; the answer is in $CASE/stdout
answered() {
  get protocol=https host="${1#https://}"
}

# has_answer URL: which the server takes
has_answer() {
  answered "$1"
  grep -q '^password=' "$CASE/stdout" || fail "there is no answer" "$(said)"
  admitted "$1"
}

# renews URL: what has expired
renews() {
  past
  has_answer "$1"
}

succeeded() {
  if ((status != 0)); then fail "it failed" "$(said)"; fi
}

nothing_is_kept() { # [OPTION...]
  run llavero list "$@"
  if ((status > 1)) || [[ -s $CASE/stdout ]]; then fail "something is kept" "$(said)"; fi
}

# fails_with TEXT [COMMAND...]: the command fails, or the last one has
fails_with() {
  if (($# > 1)); then run "${@:2}"; fi
  ((status != 0)) || fail "it succeeds, instead of: $1" "$(said)"
  tells "$1"
}

# no_answer URL TEXT...: git gets nothing that it could use as a password, and is told why
no_answer() {
  answered "$1"
  if ((status != 0)) || grep -q '^password=' "$CASE/stdout"; then fail "expected no password" "$(said)"; fi
  tells "${@:2}"
}

mentions_not() { # TEXT
  if grep -qF -- "$1" "$CASE/stderr"; then fail "unexpected: $1" "$(said)"; fi
}

requests() { # NUMBER NAME PATTERN
  [[ $(logged "$2" "$3") == "$1" ]] || fail "not $1 times: $3" "$(cat "$CASE/$2/log")"
}

# admitted URL: the last answer has a password that the server takes
admitted() {
  local answer
  answer=$(sed -n 's/^password=//p' "$CASE/stdout")
  [[ $(ask -o /dev/null -w '%{http_code}' -u "any:$answer" "$1/none.git/info/refs") != 401 ]] ||
    fail "the server doesn't take it" "$(said)"
}

# opened NUMBER: how many pages the browser was sent to since use_browser
opened() {
  local times=0
  [[ ! -e $CASE/browser/opened ]] || times=$(wc -l <"$CASE/browser/opened")
  ((times == $1)) || fail "the browser was opened $times times, not $1"
}
