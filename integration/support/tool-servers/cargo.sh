# shellcheck shell=bash
# A registry on loopback that wants a token for everything, and cargo, which asks a credential provider for it.

# The location of the toolchain, before HOME changes.
RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
CARGO=$(command -v cargo || true)
export RUSTUP_HOME

# registered PROVIDER: sets up a registry, a package that needs something from it, and cargo's configuration
registered() {
  # Credential providers need cargo 1.74, and Debian 12's is older.
  if [[ -z $CARGO ]] || ! printf '1.74\n%s\n' "$("$CARGO" --version | cut -d ' ' -f 2)" | sort -CV; then
    skip "there is no cargo 1.74 or later"
  fi
  served python3 "$SUPPORT/tool-servers/cargo-registry.py" "$CASE" "Bearer $SECRET"
  export CARGO_HOME=$CASE/cargo
  mkdir -p "$CARGO_HOME" "$CASE/package/src"
  cat >"$CARGO_HOME/config.toml" <<TOML
[registries.corp]
index = "sparse+http://$host/index/"
credential-provider = $1
TOML
  cat >"$CASE/package/Cargo.toml" <<'TOML'
[package]
name = "two"
version = "1.0.0"
edition = "2021"
description = "Two"
license = "MIT"
[dependencies]
one = { version = "1", registry = "corp" }
TOML
  : >"$CASE/package/src/lib.rs"
  cd "$CASE/package" || return
}

# cargo_does ARGUMENT...: succeeds
cargo_does() {
  run "$CARGO" "$@" </dev/null
  if ((status != 0)); then fail "failed: cargo $*" "$(said)"; fi
}

# cargo_says TEXT ARGUMENT...: fails with this message
cargo_says() {
  local text=$1
  shift
  run "$CARGO" "$@" </dev/null
  if ((status == 0)) || ! grep -qF -- "$text" "$CASE/stderr"; then fail "expected: $text" "$(said)"; fi
}

log_in() {
  run "$CARGO" login --registry corp < <(printf 'Bearer %s\n' "$SECRET")
  if ((status != 0)); then fail "cargo login failed" "$(said)"; fi
}
