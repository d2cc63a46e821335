# shellcheck shell=bash
# Sourced first by suites that need root, because they act as several users. Without root they use sudo, if it needs no
# password; otherwise the cases are skipped.

if ((EUID != 0)) && sudo -n true 2>/dev/null; then
  exec sudo -n --preserve-env=PREFIX,BUILD,ONLY,CI,LLAVERO_TEST_LONG,LLAVERO_TEST_TIMES,LLAVERO_TEST_FOLDERS,LLAVERO_TEST_PYTHON -- "$0" "$@"
fi

must_be_root() {
  ((EUID == 0)) || skip "only root can be several users"
}
