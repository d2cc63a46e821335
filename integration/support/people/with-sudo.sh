# shellcheck shell=bash
# sudo with its own files in place of the machine's.

# with_sudo PASSWORD: `within` before a command runs it as another user, in a namespace where sudo wants this password
with_sudo() {
  ((EUID == 0)) || skip "sudo is tried as root alone, who can give it files of its own"
  unshare -m true 2>/dev/null || skip "no mount namespace can be made here"
  printf 'llavero-test:x:54321:54321::%s:/bin/sh\n' "$HOME" | cat /etc/passwd - >"$CASE/passwd"
  printf 'llavero-test:%s:19000::::::\n' "$(openssl passwd -6 "$1")" | cat /etc/shadow - >"$CASE/shadow"
  printf 'Defaults passwd_tries=3, !lecture\nroot ALL=(ALL) ALL\nllavero-test ALL=(ALL) ALL\n' >"$CASE/sudoers"
  chmod 440 "$CASE/sudoers"
  chmod 711 "$CASE"
  chown -R 54321:54321 "$HOME" "$XDG_RUNTIME_DIR"
  within=(unshare -m sh -c '
    for file in passwd shadow sudoers; do mount --bind "$1/$file" "/etc/$file" || exit 99; done
    shift
    exec setpriv --reuid=54321 --regid=54321 --clear-groups "$@"' sh "$CASE")
}
