# shellcheck shell=bash
# How everything is built that is installed, or that measures or tests it. The options are the same for all of it, so
# that it shares one build. What debuggers read would be taken out of the programs anyway; without making it, the build
# takes a quarter less.

# Nothing has an rpath: the loader would search it twenty times for each of the desktop's libraries.
release_build=(swift build -c release -debug-info-format none --disable-local-rpath)

# For the tests, the modules show what is inside of them, the programs are linked from the very same, in this folder, and
# nothing is optimised: that takes five times as long, and leaves checks out. Modules aren't made twice, once for those that
# wait for them, nor hashed to see whether their objects would be as before. The index has only the tests themselves, which
# SwiftPM looks up there, and not all of the modules that they import.
if [[ -n ${LLAVERO_TESTED_BUILD:-} ]]; then
  release_build+=(--scratch-path "$LLAVERO_TESTED_BUILD" -Xswiftc -enable-testing -Xswiftc -Onone
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -index-ignore-system-modules
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen)
fi
