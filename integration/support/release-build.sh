# shellcheck shell=bash
# How everything is built that is installed, or that measures or tests it. The options are the same for all of it, so
# that it shares one build. What debuggers read would be taken out of the programs anyway; without making it, the build
# takes a quarter less.

release_build=(swift build -c release -debug-info-format none)
