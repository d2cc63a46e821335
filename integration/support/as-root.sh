# shellcheck shell=bash
# Sourced first by suites that need root, for what they do as several users: where this isn't root, sudo is asked for
# without a password, and where there is none of that the cases are skipped.

if ((EUID != 0)) && sudo -n true 2>/dev/null; then
  exec sudo -n --preserve-env=PREFIX,BUILD,ONLY,CI,LLAVERO_TEST_LONG,LLAVERO_TEST_TIMES,LLAVERO_TEST_FOLDERS,LLAVERO_TEST_PYTHON -- "$0" "$@"
fi

must_be_root() {
  ((EUID == 0)) || skip "only root can be several users"
}
