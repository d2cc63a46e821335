# shellcheck shell=bash
# Which commit the sources in $root are of.

# in_git ARGUMENT...: git there, also where the sources are another user's; it leaves no files of its own
in_git() {
  git --no-optional-locks -c safe.directory="$root" -C "$root" "$@" 2>/dev/null
}

# has_commit: whether the sources are a repository, and not in a folder of another one
has_commit() {
  [[ $(in_git rev-parse --show-toplevel) == "$root" ]] && in_git rev-parse --verify --quiet HEAD >/dev/null
}

# commit_name: prints its name, and a plus if files have changed since
commit_name() {
  local changed
  changed=$(in_git status --porcelain)
  echo "$(in_git log -1 --format=%h --abbrev=8)${changed:++}"
}

# commit_date FORMAT: prints its time in UTC, in a form of strftime(3)
commit_date() {
  TZ=UTC0 in_git log -1 --date="format-local:$1" --format=%cd
}
