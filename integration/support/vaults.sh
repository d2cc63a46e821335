# shellcheck shell=bash
# Vaults to test with, and looking into them with stock age.

# fill_vault COUNT: items for host000000.example.com and so on, in a fresh vault
fill_vault() {
  [[ -x $BUILD/vault-fixture ]] ||
    fail "no vault-fixture in $BUILD; try: swift build -c release --product vault-fixture"
  "$BUILD/vault-fixture" "$@"
}

# vault_with_passphrase PASSPHRASE: made by init, and used by `helper` from here on
vault_with_passphrase() {
  PASSPHRASE_FILE=$CASE/passphrase
  printf '%s\n' "$1" >"$PASSPHRASE_FILE"
  run llavero init --passphrase-fd 3 3<"$PASSPHRASE_FILE"
  if ((status != 0)); then fail "init with a passphrase failed" "$(said)"; fi
}

opened_by_age() {
  age -d -i "$IDENTITY" "$VAULT"
}

# hand_over: gives the case's folder, with copies of the executables in bin, to whom support/unprivileged acts as
hand_over() {
  install -d "$CASE/bin"
  cp "$PREFIX"/bin/{llavero,llavero-credential} "$CASE/bin/"
  ln -sf llavero-credential "$CASE/bin/git-credential-llavero"
  if ((EUID == 0)); then chown -R 65534:65534 "$CASE"; fi
}
