# shellcheck shell=bash
# Git's own helper for the Secret Service, built from the source in Debian's git package.

requires gcc

readonly LIBSECRET_HELPER=$ROOT/.build/git-credential-libsecret

# build_libsecret_helper: builds it once
build_libsecret_helper() {
  local source=/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c flags temporary
  if [[ $LIBSECRET_HELPER -nt $source ]]; then return 0; fi
  [[ -f $source ]] || skip "git's contrib folder isn't installed: $source"
  read -ra flags < <(pkg-config --cflags --libs libsecret-1)
  install -d "${LIBSECRET_HELPER%/*}"
  temporary=$(mktemp "$LIBSECRET_HELPER.XXXXXX")
  gcc -O2 -o "$temporary" "$source" "${flags[@]}"
  mv "$temporary" "$LIBSECRET_HELPER"
}

# c_get, c_store, c_erase ATTRIBUTE=VALUE...: like `get`, `store` and `erase`, but with git's helper, which echoes what
# it stores and erases
c_get() {
  run_libsecret_helper get "$@"
}

c_store() {
  run_libsecret_helper store "$@"
  ((status == 0)) || fail "git-credential-libsecret can't store" "$(said)"
}

c_erase() {
  run_libsecret_helper erase "$@"
  ((status == 0)) || fail "git-credential-libsecret can't erase" "$(said)"
}

run_libsecret_helper() {
  build_libsecret_helper
  run "$LIBSECRET_HELPER" "$1" < <(printf '%s\n' "${@:2}")
}
