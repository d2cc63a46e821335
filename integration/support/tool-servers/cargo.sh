# shellcheck shell=bash
# A registry on loopback that wants a token for everything, and cargo, which asks a credential provider for it.

# The location of the toolchain, before HOME changes.
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
CARGO=$(command -v cargo || true)
export RUSTUP_HOME

# registered PROVIDER [FOLDER]: sets up a registry and, in the case's or another folder, a package that needs something
# from it, and cargo's configuration
registered() {
  # Credential providers need cargo 1.74, and Debian 12's is older.
  if [[ -z $CARGO ]] || ! printf '1.74\n%s\n' "$("$CARGO" --version | cut -d ' ' -f 2)" | sort -CV; then
    skip "there is no cargo 1.74 or later"
  fi
  served python3 "$SUPPORT/tool-servers/cargo-registry.py" "$CASE" "Bearer $SECRET"
  local folder=${2:-$CASE}
  export CARGO_HOME=$folder/cargo
  mkdir -p "$CARGO_HOME" "$folder/package/src"
  cat >"$CARGO_HOME/config.toml" <<TOML
[registries.corp]
index = "sparse+http://$host/index/"
credential-provider = $1
TOML
  cat >"$folder/package/Cargo.toml" <<'TOML'
[package]
name = "two"
version = "1.0.0"
edition = "2021"
description = "Two"
license = "MIT"
[dependencies]
one = { version = "1", registry = "corp" }
TOML
  : >"$folder/package/src/lib.rs"
  cd "$folder/package" || return
}

cargo_logs_in() {
  succeeds "$CARGO" login --registry corp < <(printf 'Bearer %s\n' "$SECRET")
}
