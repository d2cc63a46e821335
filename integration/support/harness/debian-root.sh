# shellcheck shell=bash
# A fresh Debian 12 in a folder, made by debootstrap. It is made once and kept; each case installs into a copy of its
# own.

requires debian-archive-keyring debootstrap

# The cache contains every package that a case installs besides ours, so that no case needs a network.
readonly DEBIAN_PACKAGES=(libsecret-1-0 libsodium23 libcurl4 git)

# keep_debian: makes its archive $DEBIAN, if it doesn't exist. Called before all cases, because it needs the user's own
# environment.
keep_debian() {
  local folder recipe
  folder=${XDG_CACHE_HOME:-$ROOT/.build}/llavero-debian
  recipe=$(sha256sum "${BASH_SOURCE[0]}" | cut -c 1-12)
  DEBIAN=$folder/bookworm-$(dpkg --print-architecture)-$recipe.tar
  if ((EUID != 0)) || [[ -s $DEBIAN ]]; then return; fi
  echo "Making a Debian in $folder, once"
  mkdir -p "$folder"
  rm -f "$folder"/bookworm-*.tar
  # Errors are ignored here, because the cases report them.
  (set -e && make_debian) >"$SUITE_TMP/debootstrap" 2>&1 || true
  rm -rf "$SUITE_TMP/root"
}

make_debian() {
  local mirror root=$SUITE_TMP/root
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Codename: bookworm' |
    head -n 1) || mirror=
  debootstrap --variant=minbase bookworm "$root" "${mirror:-http://deb.debian.org/debian}"
  chroot "$root" useradd --create-home --uid 64101 alice
  chroot "$root" apt-get install --yes --no-install-recommends --download-only "${DEBIAN_PACKAGES[@]}"
  tar -C "$root" --numeric-owner -cf "$DEBIAN.new" .
  mv "$DEBIAN.new" "$DEBIAN"
}

# fresh_debian: unpacks it as $CASE/root. Put `inside` or `as_alice` before a command to run it there, as root or as an
# ordinary user, without a network or this environment.
fresh_debian() {
  must_be_root
  unshare --mount --net true || skip "no mounts and no networks of one's own may be made here"
  [[ -s $DEBIAN ]] || fail "no Debian could be made:" "$(tail -n 20 "$SUITE_TMP/debootstrap")"
  install -d "$CASE/root"
  tar -C "$CASE/root" --numeric-owner -xf "$DEBIAN"
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
