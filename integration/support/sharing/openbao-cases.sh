# shellcheck shell=bash
# What the suites about keychains in OpenBao have in common.

source "$SUPPORT/harness/certificate.sh"
source "$SUPPORT/sharing/openbao.sh"

requires_python cryptography

alice=(protocol=https host=git.example.com username=alice)

# kv_put PATH NAME=VALUE...: what `bao kv put -mount=llavero` does, by curl
kv_put() {
  asks_bao POST "llavero/data/$1" "{\"data\":$(json "${@:2}")}"
}

# kv_get PATH [NAME]: prints a value there, of the secret by default
kv_get() {
  asks_bao GET "llavero/data/$1" | jq -er ".data.data.${2:-secret}"
}

# kv_patch PATH NAME=VALUE...: puts these values in place of those of the same names
kv_patch() {
  local former
  former=$(asks_bao GET "llavero/data/$1")
  asks_bao POST "llavero/data/$1" "$(jq -c --argjson new "$(json "${@:2}")" '{data: (.data.data + $new)}' <<<"$former")"
}

# bao_write PATH NAME=VALUE...: what `bao write` does, by curl
bao_write() {
  asks_bao POST "$1" "$(json "${@:2}")"
}

# revoke METHOD: ends all tokens that were got by it
revoke() {
  asks_bao PUT "sys/leases/revoke-prefix/auth/$1"
}

# with_bao [SETTING=VALUE...]: a server, and a keychain there that the root token opens
with_bao() {
  start_bao
  add_fleet "$@"
  by_variable
}

# answers PASSWORD ATTRIBUTE=VALUE...
answers() {
  local password=$1
  shift
  get "$@"
  ((status == 0)) && grep -qxF "password=$password" "$CASE/stdout" || fail "expected the password $password" "$(said)"
}

# has_nothing ATTRIBUTE=VALUE...
has_nothing() {
  get "$@"
  ((status == 0)) && [[ ! -s $CASE/stdout && ! -s $CASE/stderr ]] || fail "expected nothing" "$(said)"
}

# has_hidden LINE...: git gets nothing, and is told that a refused login is hidden
has_hidden() {
  get "$@"
  ((status == 0)) && [[ ! -s $CASE/stdout ]] || fail "expected nothing" "$(said)"
  tells 'is hidden here, because a server has refused it'
}

# refused STATUS TEXT COMMAND...: it says the text, and prints nothing
refused() {
  prints_nothing "$1" "${@:3}"
  tells "$2"
}

# refused_git OPERATION TEXT ATTRIBUTE=VALUE...: git's get, store or erase is
refused_git() {
  refused 2 "$2" git-credential-llavero "$1" < <(printf '%s\n' "${@:3}" '')
}

# with_user NAME PASSWORD POLICY: somebody logs in with a password from now on, and there are no copies
with_user() {
  user "$@"
  add_fleet login=userpass "user=$1"
  own "userpass/$1" "$2"
}

# with_alice [SETTING=VALUE...]: a server, and a keychain there that alice logs in to with a password
with_alice() {
  start_bao
  policy all "$everything"
  user alice pa55 all
  add_plain_fleet mount=llavero "ca=$CASE/authority.crt" login=userpass user=alice "$@"
  own userpass/alice pa55
}

# stop_bao: the server is down from now on
stop_bao() {
  kill "$node_process"
  wait "$node_process" || true
}

# works_with SECRET: the item of alice gets this secret, and answers with it, whoever has logged in
works_with() {
  store "${alice[@]}" password="$1"
  answers "$1" "${alice[@]}"
}

# stand_in MODE [UPSTREAM AUTHORITY]: what gateway.py does in this mode, in place of a server or before one; sets other
# to its address
stand_in() {
  echo "$1" >"$CASE/mode"
  served python3 "$SUPPORT/sharing/gateway.py" "$CASE/mode" "$CASE/heard" "${@:2}"
  other=http://$host
}

with_signed_tokens() {
  start_bao
  policy all "$everything"
  openssl genrsa -out "$CASE/jwt.key" 2048 2>/dev/null
  openssl rsa -in "$CASE/jwt.key" -pubout -out "$CASE/jwt.pub" 2>/dev/null
}

# with_jobs [OPTION...]: a server that takes the tokens of jobs, by the role ci with these options
with_jobs() {
  with_signed_tokens
  asks_bao POST sys/auth/jwt '{"type":"jwt"}'
  asks_bao POST auth/jwt/config "$(json "jwt_validation_pubkeys=$(cat "$CASE/jwt.pub")")"
  asks_bao POST auth/jwt/role/ci "$(json role_type=jwt user_claim=sub bound_audiences=bao token_policies=all "$@")"
  # What a login gives is kept in a keychain of one's own.
  llavero init >/dev/null
}

# base64url: encodes what it reads as tokens have it
base64url() {
  basenc --base64url -w 0 | tr -d =
}

# signed HEADER CLAIMS: prints a token of these JSON texts, signed with the key of the case
signed() {
  local text
  text=$(base64url <<<"$1").$(base64url <<<"$2")
  printf '%s.%s\n' "$text" "$(printf %s "$text" | openssl dgst -sha256 -sign "$CASE/jwt.key" | base64url)"
}

# job_token NAME: the file jwt has a new token of this job
job_token() {
  signed '{"alg":"RS256","typ":"JWT"}' "$(jq -nc --arg sub "$1" --arg jti "$(date +%s%N)" \
    '(now | floor) as $now | {$sub, aud: "bao", iat: $now, exp: ($now + 600), $jti}')" >"$CASE/jwt"
}

# with_service_accounts NAMES [OPTION...]: a server that takes the tokens of service accounts, as a Kubernetes API reviews
# them, by the role app, for these ones and with these options
with_service_accounts() {
  with_signed_tokens
  certified kubernetes authority IP:127.0.0.1
  printf '%s\n' 'team:app 6f1c' 'team:other 84d0' >"$CASE/accounts"
  served "$LLAVERO_TEST_PYTHON" "$SUPPORT/git-and-sign-in/token-review.py" "$CASE" "$SECRET"
  asks_bao POST sys/auth/kubernetes '{"type":"kubernetes"}'
  bao_write auth/kubernetes/config kubernetes_host="https://$host" kubernetes_ca_cert="$(<"$CASE/authority.crt")" \
    token_reviewer_jwt="$SECRET" disable_local_ca_jwt=true
  service_account_role "$@"
  # What a login gives is kept in a keychain of one's own.
  llavero init >/dev/null
}

# service_account_role NAMES [OPTION...]: the role app, for these service accounts of the namespace team
service_account_role() {
  bao_write auth/kubernetes/role/app bound_service_account_names="$1" bound_service_account_namespaces=team audience=bao \
    token_policies=all "${@:2}"
}

# service_account NAMESPACE:NAME: the file jwt has a new token of this service account, as kubelet writes it
service_account() {
  signed '{"alg":"RS256","kid":"one"}' "$(jq -nc --arg account "$1" --arg uid "$(sed -n "s/^$1 //p" "$CASE/accounts")" \
    --arg jti "$(date +%s%N)" '(now | floor) as $now | ($account | split(":")) as [$namespace, $name] | {
      aud: ["bao"], exp: ($now + 3607), iat: $now, nbf: $now, iss: "https://kubernetes.default.svc.cluster.local", $jti,
      sub: "system:serviceaccount:\($account)",
      "kubernetes.io": {$namespace, pod: {name: "\($name)-0", uid: "1d2e"}, serviceaccount: {$name, $uid}}}')" >"$CASE/next"
  mv "$CASE/next" "$CASE/jwt"
}

# read_by METHOD-NAME: the last item was read with the token that the server gave to this user, job or service account
read_by() {
  [[ $(jq -r 'select(.type == "request" and (.request.path | startswith("llavero/data/"))) | .auth.display_name' \
    "$CASE/audit.log" | tail -1) == "$1" ]] || fail "it isn't $1 that asks"
}

# logins [METHOD [NAME]]: how often somebody has logged in by it, or tried to; by jwt by default
logins() {
  grep -c '"type":"response".*"path":"auth/'"${1:-jwt}/login${2:+/$2}"'"' "$CASE/audit.log" || true
}

# mine TEXT: asking for the item of alice is refused with this text
mine() {
  refused_git get "$1" "${alice[@]}"
  refused_git store "$1" "${alice[@]}" password=x
  refused 2 "$1" llavero list
}

# is_unusable TEXT: the list of keychains says so of the keychain on the server
is_unusable() {
  fails 2 llavero keychain list --json
  holds '.[] | select(.keychain == "fleet") | .usable == false and (.problem | contains($text))' --arg text "$1"
}

# costs COUNT OPERATION ATTRIBUTE=VALUE...: the server is asked so often
costs() {
  local count=$1
  shift
  requests_of "$@"
  ((made == count)) || fail "$* takes $made requests, not $count"
}

# copied TEXT: a copy on this machine has it
copied() {
  local own=$XDG_STATE_HOME/llavero/openbao/fleet file
  for file in "$own"/copies/*.age; do
    if [[ -e $file ]]; then age -d -i "$own/identity.txt" "$file"; fi
  done | grep -F "$1" >/dev/null
}

# as NAME PASSWORD: prints a token of a login
as() {
  asks_bao POST "auth/userpass/login/$1" "$(json "password=$2")" | jq -r .auth.client_token
}

# renewed [FOLDER...]: what renews copies behind an answer has run
renewed() {
  (exec -a llavero-copies "$PREFIX/bin/llavero-credential" fleet < <((($# == 0)) || printf '%s\0' "$@")) ||
    fail "renewing has status $?"
}

# reads TEXT: how often something was read, or listed, of which the path has this in it
reads() {
  jq -r 'select(.type == "request") | .request.path' "$CASE/audit.log" | grep -cF -- "$1" || true
}

# behind_a_gateway [SETTING=VALUE...]: a server behind a gateway, and a keychain there; sets gateway to its address
behind_a_gateway() {
  local other
  start_bao
  stand_in ok "$bao" "$CASE/authority.crt"
  gateway=$other
  bao=$gateway add_plain_fleet mount=llavero "$@"
  by_variable
  export BAO_ADDR=$gateway
}

# what a gateway may say that isn't the server's word, for its file mode
# shellcheck disable=SC2034 # for the suites
foreign=(404-json 200-html)
if is_long; then foreign+=(404-html 404-empty 403-html 403-json 200-empty); fi

# heard METHOD: how many requests by this method the gateway has had
heard() {
  awk -v method="$1" '$2 == method' "$CASE/heard" | wc -l
}
