# shellcheck shell=bash
# A machine of its own for the transcript of a page, made by bubblewrap: alice in an empty /home/alice, the installed
# programs in /usr/local, no network but hosts of git that the page names, and a keyring if the page wants one.
# Sourced after certificate.sh and git-server.sh.

requires bubblewrap dbus gnome-keyring libglib2.0-bin openssl util-linux

# what_hosts_have: a certificate that the machine's programs trust, and the repository that is at every path
what_hosts_have() {
  authority authority
  certified host authority 'DNS:example.com,DNS:*.example.com,DNS:github.com,DNS:gitlab.com,DNS:codeberg.org'
  set_up_git
  make_repository any.git
}

# machines: sets up in $CASE/shared what all pages' machines have in common
machines() {
  install -d "$CASE/shared"
  (
    CASE=$CASE/shared
    what_hosts_have
  )
  printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'alice:x:1000:1000:Alice:/home/alice:/bin/bash' >"$CASE/shared/passwd"
  printf '%s\n' 'root:x:0:' 'alice:x:1000:' >"$CASE/shared/group"
  echo alice:rosebud >"$CASE/shared/users"
  : >"$CASE/shared/gitconfig"
  on_machine true <<<'' 2>"$CASE/bwrap" || skip "bubblewrap makes no machine here: $(tail -n 1 "$CASE/bwrap")"
}

# on_machine COMMAND... <PAGE: runs it as alice on a new machine whose hosts are those that the page names
on_machine() {
  local page names hosts options=()
  page=$(mktemp "$CASE/page.XXXXXX")
  cat >"$page"
  mapfile -t names < <("$SUPPORT/documentation/transcripts.py" --hosts <"$page")
  hosts=$(mktemp "$CASE/hosts.XXXXXX")
  printf '127.0.0.1 %s\n' localhost laptop ${names[@]+"${names[@]}"} >"$hosts"
  if [[ -e /etc/gitconfig ]]; then options+=(--ro-bind "$CASE/shared/gitconfig" /etc/gitconfig); fi
  # The hosts may bind port 443. With a /dev of its own, bubblewrap makes one more namespace of users, who may not.
  env -i bwrap --unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try \
    --die-with-parent --new-session --uid 1000 --gid 1000 --hostname laptop --cap-drop ALL \
    --cap-add CAP_NET_BIND_SERVICE --ro-bind / / --dev-bind /dev /dev --tmpfs /dev/shm --proc /proc --tmpfs /tmp \
    --tmpfs /root --tmpfs /opt --tmpfs /home --dir /home/alice --tmpfs /run --perms 0700 --dir /run/user/1000 \
    --tmpfs /usr/local --ro-bind "$PREFIX/bin" /usr/local/bin --ro-bind "$PREFIX/libexec" /usr/local/libexec \
    --ro-bind "$PREFIX/share" /usr/local/share --ro-bind "$SUPPORT" /opt/support --ro-bind "$CASE/shared" /opt/shared \
    --ro-bind "$CASE/shared/passwd" /etc/passwd --ro-bind "$CASE/shared/group" /etc/group \
    --ro-bind "$hosts" /etc/hosts \
    --ro-bind "$CASE/shared/authority.crt" /etc/ssl/certs/ca-certificates.crt ${options[@]+"${options[@]}"} \
    --chdir /home/alice --setenv HOME /home/alice --setenv USER alice --setenv LOGNAME alice \
    --setenv XDG_RUNTIME_DIR /run/user/1000 --setenv PATH /home/alice/.local/bin:/usr/local/bin:/usr/bin:/bin \
    -- /opt/support/documentation/with-hosts.sh ${names[@]+"${names[@]}"} -- "$@" <"$page"
}

# follow_page NAME [OPTION...] <PAGE: types what the page says, and prints where it isn't so
follow_page() {
  on_machine /opt/support/documentation/follow-page.sh "${@:2}" "$1"
}
