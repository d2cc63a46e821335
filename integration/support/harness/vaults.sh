# shellcheck shell=bash
# Makes vaults to test with, and looks into them with stock age.

source "$SUPPORT/release-build.sh"

# fill_vault COUNT: adds items for host000000.example.com and so on to a fresh vault
fill_vault() {
  [[ -x $BUILD/vault-fixture ]] ||
    fail "no vault-fixture in $BUILD; try: ${release_build[*]} --product vault-fixture"
  "$BUILD/vault-fixture" "$@"
}

# vault_with_passphrase PASSPHRASE: made by init, and used by `helper` from here on
vault_with_passphrase() {
  PASSPHRASE_FILE=$CASE/passphrase
  printf '%s\n' "$1" >"$PASSPHRASE_FILE"
  succeeds "${little_memory[@]}" llavero init --passphrase-fd 3 3<"$PASSPHRASE_FILE"
}

# keep_vault PASSPHRASE: makes a vault with it, and the file $SUITE_TMP/passphrase. Called before all cases, which copy it,
# because deriving a key takes a while.
keep_vault() {
  use_home "$SUITE_TMP/template"
  printf '%s\n' "$1" >"$SUITE_TMP/passphrase"
  export LLAVERO_KEYCHAIN=file LLAVERO_UNLOCK_CACHE=none
  "${little_memory[@]}" llavero init --passphrase-fd 3 3<"$SUITE_TMP/passphrase" >/dev/null
}

# kept_vault: copies that one to the case's home
kept_vault() {
  cp -a "$SUITE_TMP/template/home/." "$HOME/"
}

# lock_at_end: what keeps the case's vault unlocked forgets it when the case ends, and no agent is left
lock_at_end() {
  trap 'llavero lock 2>/dev/null || true; end_processes' EXIT
}

# A command after "${own_mounts[@]}" may mount what nobody else sees, and that is gone when it ends.
own_mounts=(unshare --mount)
if ((EUID != 0)); then own_mounts+=(--user --map-root-user); fi

# A command after "${little_memory[@]}" sees 40 MiB of available memory. A new passphrase then gets the lowest work
# factor, which takes some 0.1 s for each use instead of 1 s; if that can be arranged.
little_memory=("${own_mounts[@]}")
echo 'MemAvailable: 40960 kB' >"$SUITE_TMP/meminfo"
# shellcheck disable=SC2016 # the other shell expands them
little_memory+=(sh -c 'mount --bind "$0" /proc/meminfo && exec "$@"' "$SUITE_TMP/meminfo")
"${little_memory[@]}" true 2>/dev/null || little_memory=(env)

opened_by_age() {
  age -d -i "$IDENTITY" "$VAULT"
}

# hand_over: gives the case's folder, with copies of the executables in bin, to the user of support/harness/unprivileged
hand_over() {
  install -d "$CASE/bin"
  cp "$PREFIX"/bin/{llavero,llavero-credential} "$CASE/bin/"
  ln -sf llavero-credential "$CASE/bin/git-credential-llavero"
  if ((EUID == 0)); then chown -R 65534:65534 "$CASE"; fi
}
