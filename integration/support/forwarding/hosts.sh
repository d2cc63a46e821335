# shellcheck shell=bash
# Other machines to log in to, on this one: sshd is the ProxyCommand, in namespaces of its own, with a home and a /tmp of
# its own. So there is no port, and no service that runs.

requires bubblewrap libwrap0 openssh-client
extracts openssh-server

source "$SUPPORT/harness/ports.sh"

SSHD=$ROOT/.build/extracted/openssh-server/usr/sbin/sshd
AGENT_SOCKET=

# set_up_ssh [HOST...]: a user's key, ssh's configuration, and these hosts
set_up_ssh() {
  local host
  mkdir -p -m 700 "$HOME/.ssh" "$CASE/hosts"
  ssh-keygen -qt ed25519 -N '' -C '' -f "$HOME/.ssh/user"
  AGENT_SOCKET=$XDG_RUNTIME_DIR/llavero/forward/agent
  : >"$CASE/ssh_config"
  for host in "$@"; do make_host "$host"; done
}

# make_host NAME: a host of this name, which ssh knows
make_host() {
  local name=$1 folder=$CASE/hosts/$1 user
  user=$(id -u)
  install -d -m 700 "$folder" "$folder/home" "$folder/tmp"
  ssh-keygen -qt ed25519 -N '' -C '' -f "$folder/key"
  # sshd takes the home from here. Root's sshd also wants a user of its own.
  awk -F: -v OFS=: -v user="$user" -v home="$folder/home" \
    '$1 == "sshd" { next } $3 == user { $6 = home; $7 = "/bin/bash" } { print }' /etc/passwd >"$folder/passwd"
  if ! grep -q "^[^:]*:[^:]*:$user:" "$folder/passwd"; then
    echo "tester:x:$user:$(id -g)::$folder/home:/bin/bash" >>"$folder/passwd"
  fi
  echo 'sshd:x:103:65534::/run/sshd:/bin/false' >>"$folder/passwd"
  {
    printf '%s\n' "HostKey $folder/key" "AuthorizedKeysFile $HOME/.ssh/user.pub" 'UsePAM no' 'StrictModes no'
    printf '%s\n' "Subsystem sftp internal-sftp" "SetEnv PATH=$PREFIX/bin:/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8"
  } >"$folder/sshd_config"
  # Beneath it, this machine's home and the person's folders do not exist; the programs may lie in a /tmp of this one.
  cat >"$folder/sshd" <<TEXT
#!/bin/sh
# With options, it is a server; without, it serves its standard input.
[ \$# -gt 0 ] || set -- -i
exec bwrap --dev-bind / / --bind "$folder/tmp" /tmp --tmpfs /run --dir /run/sshd --ro-bind "$folder/passwd" /etc/passwd \\
  --ro-bind "$ROOT" "$ROOT" --ro-bind "$PREFIX" "$PREFIX" --bind "$CASE" "$CASE" \\
  --tmpfs "$XDG_RUNTIME_DIR" --tmpfs "$XDG_DATA_HOME" --tmpfs "$XDG_STATE_HOME" \\
  --unshare-pid --unshare-uts --hostname "$name" --proc /proc --die-with-parent \\
  "$SSHD" "\$@" -e -f "$folder/sshd_config" 2>>"$folder/log"
TEXT
  chmod 755 "$folder/sshd"
  mkdir -p "$XDG_DATA_HOME" "$XDG_STATE_HOME"
  printf '%s %s\n' "$name" "$(cut -d' ' -f1,2 "$folder/key.pub")" >>"$HOME/.ssh/known_hosts"
  cat >>"$CASE/ssh_config" <<TEXT
Host $name
  ProxyCommand $folder/sshd
  HostKeyAlias $name
TEXT
}

# keep_running HOST: lets the host run on, so that what one login has started is there for the next
keep_running() {
  local port
  port=$(free_ports)
  background "$CASE/hosts/$1/sshd" -D -p "$port" -o ListenAddress=127.0.0.1
  wait_for 10 grep -q "Server listening on 127.0.0.1 port $port" "$CASE/hosts/$1/log" || fail "sshd doesn't start"
  sed -i "s|^  ProxyCommand $CASE/hosts/$1/sshd\$|  HostName 127.0.0.1\n  Port $port|" "$CASE/ssh_config"
}

# ssh_to HOST [OPTION...] COMMAND: without the agent's forwarding, unless it is asked for
ssh_to() {
  timeout 120 ssh -F "$CASE/ssh_config" -o UserKnownHostsFile="$HOME/.ssh/known_hosts" -o GlobalKnownHostsFile=/dev/null \
    -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes -o IdentityFile="$HOME/.ssh/user" -o BatchMode=yes "$@"
}

# on HOST COMMAND: with the keychain
on() {
  ssh_to -A -o IdentityAgent="$AGENT_SOCKET" "$@"
}

# rule TEXT: adds a line to the rules
rule() {
  install -d -m 700 "$XDG_CONFIG_HOME/llavero"
  (umask 077 && printf '%s\n' "$*" >>"$XDG_CONFIG_HOME/llavero/forward.rules")
}

# start_forwarding [OPTION...]: starts the agent, which ends with the case
start_forwarding() {
  background "$PREFIX/libexec/llavero/llavero-forward" agent "$@"
  wait_for 10 test -S "$XDG_RUNTIME_DIR/llavero/forward/control" || fail "the agent doesn't start"
}

# logged TEXT: this machine's log has a line with this
logged() {
  llavero forward log >"$CASE/log"
  grep -qF -- "$1" "$CASE/log" || fail "not in the log: $1" "$(cat "$CASE/log")"
}
