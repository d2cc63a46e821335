# shellcheck shell=bash
# Other systems in a folder, made by debootstrap once, and kept.

requires debian-archive-keyring debootstrap

# keep_root NAME RELEASE MAKE PACKAGE...: sets KEPT to what the function MAKE has made of that release of Debian, once, in a
# folder that is kept. MAKE gets the folder of a minimal system, where to put the result, and the packages. Called before all
# cases, because it needs the user's own environment.
keep_root() {
  local folder recipe
  folder=${XDG_CACHE_HOME:-$ROOT/.build}/llavero-debian
  recipe=$({ declare -f keep_root bootstrap "$3" && echo "$@"; } | sha256sum | cut -c 1-12)
  KEPT=$folder/$1-$(dpkg --print-architecture)-$recipe
  if ((EUID != 0)) || [[ -e $KEPT ]]; then return; fi
  echo "Making a Debian in $folder, once"
  mkdir -p "$folder"
  rm -rf "$folder/$1"-*
  # Errors are ignored here, because the cases report them.
  (set -e && bootstrap "$2" "$SUITE_TMP/root" && "$3" "$SUITE_TMP/root" "$KEPT" "${@:4}") >"$SUITE_TMP/debootstrap" 2>&1 || true
  rm -rf "$SUITE_TMP/root"
}

bootstrap() { # RELEASE FOLDER
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' |
    head -n 1) || mirror=
  debootstrap --variant=minbase "$1" "$2" "${mirror:-http://deb.debian.org/debian}"
}

# is_kept: or the case fails, or is skipped where no such system can be used
is_kept() {
  must_be_root
  unshare --mount --net true || skip "no mounts and no networks of one's own may be made here"
  [[ -e $KEPT ]] || fail "no Debian could be made:" "$(tail -n 20 "$SUITE_TMP/debootstrap")"
}

# keep_debian: keeps the archive of a Debian 12
keep_debian() {
  keep_root bookworm bookworm make_debian libsecret-1-0 libcurl4 git
}

# The archive contains every package that a case installs besides ours, so that no case needs a network.
make_debian() { # FOLDER ARCHIVE PACKAGE...
  chroot "$1" useradd --create-home --uid 64101 alice
  chroot "$1" apt-get install --yes --no-install-recommends --download-only "${@:3}"
  tar -C "$1" --numeric-owner -cf "$2.new" .
  mv "$2.new" "$2"
}

# fresh_debian: unpacks the Debian 12 as $CASE/root. Put `inside` or `as_alice` before a command to run it there, as root or as an
# ordinary user, without a network or this environment.
fresh_debian() {
  is_kept
  install -d "$CASE/root"
  tar -C "$CASE/root" --numeric-owner -xf "$KEPT"
  # shellcheck disable=SC2016 # the inner shell expands them
  inside=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
    unshare --mount --net --pid --fork --kill-child sh -c '
      mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"' _ "$CASE/root")
  # shellcheck disable=SC2034 # the suites use it
  as_alice=("${inside[@]}" setpriv --reuid=alice --regid=alice --init-groups
    env HOME=/home/alice PATH=/usr/bin:/bin)
}

# installs PACKAGE|FILE...: installs with apt, including dependencies; files are in the root folder of the Debian system
installs() {
  "${inside[@]}" apt-get -qq install --yes --no-install-recommends "$@"
}

# files_of_debian: the name, kind, mode, owner and contents of every file, except the records of apt and dpkg
files_of_debian() {
  local noted=(-path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/lib/apt -o
    -path ./var/cache -o -path ./var/log -o -path ./etc/ld.so.cache -o -path ./packages)
  (
    cd "$CASE/root"
    find . \( "${noted[@]}" \) -prune -o -printf '%P %y %m %u %l\n'
    find . \( "${noted[@]}" \) -prune -o -type f -exec sha256sum {} +
  ) | LC_ALL=C sort
}
