# shellcheck shell=bash
# What a newcomer types until a tool logs in, with llavero and its peers. Sourced by integration/bench.

source "$SUPPORT/harness/certificate.sh"
source "$SUPPORT/git-and-sign-in/git-server.sh"
source "$SUPPORT/documentation/transcripts.sh"

# first_hour [OPTION...]: types every session on a machine of its own, a key in 20 ms, and prints the table; the options
# are first-hour.py's
first_hour() {
  local page
  CASE=$temporary/first-hour
  mkdir "$CASE"
  use_home "$CASE"
  machines
  # GitHub's login takes any name with a token.
  echo x-access-token:rosebud >>"$CASE/shared/users"
  peers
  "$SUPPORT/measuring/first-hour.py" pages "$CASE"
  for page in "$CASE"/*.md; do
    on_machine env PATH=/home/alice/.local/bin:/usr/local/bin:/opt/shared/bin:/usr/bin:/bin \
      /opt/support/documentation/follow-page.sh --pace 0.02 "${page##*/}" <"$page" >"${page%.md}.said" 2>&1 ||
      fail "$(cat "$page" "${page%.md}.said")"
  done
  "$SUPPORT/measuring/first-hour.py" table "$CASE" "$@"
}

# peers: has the programs in $CASE/shared/bin that are elsewhere than in the machine's /usr/bin
peers() {
  local manager
  mkdir "$CASE/shared/bin" "$CASE/shared/secretservice"
  cp -L "$(command -v docker)" "$CASE/shared/bin"
  cp -L "$(command -v docker-credential-secretservice)" "$CASE/shared/secretservice"
  build_libsecret_helper
  cp "$LIBSECRET_HELPER" "$CASE/shared/bin"
  manager=$(echo "$root"/.build/venv/lib/python3*/site-packages/git_credential_manager)
  cp -rL "$manager" "$CASE/shared/manager"
  chmod +x "$CASE/shared/manager/git-credential-manager"
  ln -s ../manager/git-credential-manager "$CASE/shared/bin/git-credential-manager"
}
