# shellcheck shell=bash
# The people of `integration/demo --team`, each with a home of their own, and what they log in to: a project on a git
# server, an image in a registry and a package in an index. All three let in one account, deploy.

source "$SUPPORT/tool-servers/registry.sh"

# at PERSON: what is shown from now on is what this person types, in this person's home
at() {
  local folder=$CASE/$1
  person=$1
  use_home "$folder"
  PATH=$CASE/programs:$HOME/.local/bin:$PATH
  cd "$HOME" || fail "demo: there is no home of $1"
  if [[ ! -e $ASKED ]]; then
    set_up >"$CASE/log" 2>&1 || fail "demo: the home of $1 can't be set up:" "$(<"$CASE/log")"
    : >"$ASKED"
  fi
}

# set_up: a keychain of the person's own, which git, docker and pip ask
set_up() {
  git config --global user.name "${person^}" &&
    git config --global user.email "$person@example.com" &&
    git config --global credential.helper llavero &&
    llavero init &&
    llavero setup docker --yes &&
    mkdir -p .local/bin &&
    llavero link .local/bin keyring
}

# typed SECRET COMMAND: the person gives the secret to the command, which works
typed() {
  works "$2" < <(printf %s "$1")
}

# refused COMMAND: the keychain can't be used, which is the status 2, and nothing is printed but the reason
refused() {
  local secret
  shown "$1"
  ((status == 2)) || fail "demo: expected status 2, not $status"
  for secret in "${secrets[@]}"; do
    [[ $said != *"$secret"* ]] || fail "demo: that shows a secret"
  done
}

# new_secret NAME: a made-up secret, which nothing else on this disk looks like
new_secret() {
  declare -g "$1=$1-$RANDOM$RANDOM"
  secrets+=("${!1}")
}

# start_services: a git server with the project, a registry with an image, an index with a package
start_services() {
  make_repository project.git
  new_secret git_first
  echo "/project.git deploy:$git_first" >project.users
  start_server project
  project=http://127.0.0.1:$port
  new_secret docker_first
  SECRET=$docker_first start_registry deploy
  push_image
  new_secret pip_first
  mkdir index
  background python3 "$SUPPORT/tool-servers/python-index.py" "$CASE/index" deploy "$pip_first" >index/port
  wait_for 20 test -s index/port || fail "demo: the package index doesn't start"
  index=http://127.0.0.1:$(<index/port)
}

# in_registry ARGUMENT...: curl, logged in
in_registry() {
  curl -sSf --config <(printf 'user = "deploy:%s"\n' "$docker_first") -o /dev/null "$@"
}

# push_blob FILE: whose name is its digest
push_blob() {
  local place
  place=$(in_registry -D - -X POST "http://$registry/v2/project/blobs/uploads/" | tr -d '\r' |
    sed -n 's/^Location: //ip')
  in_registry -X PUT --data-binary "@$1" -H 'Content-Type: application/octet-stream' "$place&digest=sha256:${1##*/}"
}

# push_image: an image of one file, project:1; there is no docker engine here that could push one
push_image() {
  local blob manifest
  python3 "$SUPPORT/tool-servers/image.py" image
  for blob in image/blobs/sha256/*; do push_blob "$blob"; done
  manifest=$(jq -r '.manifests[0].digest' image/index.json)
  in_registry -X PUT --data-binary "@image/blobs/sha256/${manifest#sha256:}" \
    -H 'Content-Type: application/vnd.oci.image.manifest.v1+json' "http://$registry/v2/project/manifests/1"
}

# What the three tools do, as the person types it.
push='git -C project pull -q && git -C project commit -q --allow-empty -m "Say nothing" && git -C project push -q'
inspect=
install=
say_what_tools_do() {
  inspect="docker manifest inspect --insecure $registry/project:1"
  install="pip install -q --keyring-provider subprocess -i $index/simple/ --target packages --upgrade one"
}

# pushed, inspected, installed: how often each tool was let in; the servers have counted
pushed() { grep -c '^POST /project.git/git-receive-pack deploy 200$' "$CASE/project.log" 2>/dev/null || true; }
inspected() {
  grep -c 'response completed.*/v2/project/manifests/1 .*Docker-Client.*status=200' "$CASE/registry.log" || true
}
installed() { grep -c '^GET /files/.* deploy 200$' "$CASE/index/requests" 2>/dev/null || true; }

# all_log_in: git, docker and pip of the person log in, as the servers see it
all_log_in() {
  local before
  before=("$(pushed)" "$(inspected)" "$(installed)")
  if [[ ! -e project ]]; then works "git clone -q $project/project.git"; fi
  works "$push"
  works "$inspect | jq -c '.layers[0]'"
  expect sha256
  rm -rf packages
  works "$install && ls packages"
  expect one.py
  if (($(pushed) != before[0] + 1 || $(inspected) <= before[1] || $(installed) != before[2] + 1)); then
    fail "demo: the servers have seen something else"
  fi
  if [[ -s $ASKED ]]; then fail "demo: git asked somebody:" "$(<"$ASKED")"; fi
}

# nothing_in_clear: no file of anybody's home has a secret as it is
nothing_in_clear() {
  local secret found
  for secret in "${secrets[@]}"; do
    found=$(grep -rlF -- "$secret" "$CASE"/{ann,bob,eve,dan}/home "$CASE/repositories" 2>/dev/null || true)
    [[ -z $found ]] || fail "demo: a secret is in the clear:" "$found"
  done
}
