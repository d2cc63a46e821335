# shellcheck shell=bash
# The modules of a build, for compilers that are called without SwiftPM.

# swift_target: the triple of this machine
swift_target() {
  swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["unversionedTriple"])'
}

# module_flags ARRAY MODULES: adds the options by which Swift finds the modules and the C modules they need
module_flags() {
  local -n array=$1
  local sources word
  sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../Sources" && pwd)
  array+=(-I "$2" -I "$sources/CSodium" -I "$sources/CSecret")
  array+=(-Xcc "-fmodule-map-file=$2/../CLinux.build/module.modulemap")
  for word in $(pkg-config --cflags-only-I libsodium libsecret-1); do
    if [[ $word == -I?* ]]; then array+=(-I "${word#-I}"); fi
  done
}
