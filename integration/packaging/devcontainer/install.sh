#!/bin/sh
# Installs llavero in the image of a dev container, from the archive beside this file or from a URL. The tool that
# builds the image runs it as root, with the feature's options as GIT, PATHS, ARCHIVE and SHA256.

set -eu

here=$(cd "$(dirname "$0")" && pwd)

cannot() {
  echo "llavero: $1" >&2
  [ $# -lt 2 ] || echo "llavero: hint: $2" >&2
  exit 1
}

[ "$(id -u)" = 0 ] || cannot "the feature has to be installed as root"
url=${ARCHIVE:-}
sum=${SHA256:-}

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# Debian's names, as the archives have them.
case $(uname -m) in
x86_64) machine=amd64 ;;
aarch64 | arm64) machine=arm64 ;;
*) machine=$(uname -m) ;;
esac

if [ -n "$url" ]; then
  [ -n "$sum" ] || cannot "the option archive needs the option sha256"
  archive=$temporary/llavero.tar.gz
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$archive" "$url" || cannot "cannot download $url"
  elif command -v wget >/dev/null; then
    wget -q -O "$archive" "$url" || cannot "cannot download $url"
  else
    cannot "neither curl nor wget is in the image" "put the archive beside the feature's install.sh"
  fi
else
  archive=
  for each in "$here"/llavero-*-linux-"$machine".tar.gz; do
    [ -f "$each" ] || continue
    [ -z "$archive" ] || cannot "there are several archives for $machine in the feature's folder" "leave one of them there"
    archive=$each
  done
  [ -n "$archive" ] || cannot "no llavero-*-linux-$machine.tar.gz is in the feature's folder" \
    "copy it there, or set the options archive and sha256"
fi
if [ -n "$sum" ]; then
  echo "$sum  $archive" | sha256sum -c - >/dev/null 2>&1 || cannot "the archive's SHA-256 is not $sum"
fi

mkdir "$temporary/unpacked"
tar -xzf "$archive" -C "$temporary/unpacked" || cannot "cannot unpack $archive"
set -- "$temporary/unpacked"/llavero-*/install.sh
[ -f "$1" ] || cannot "there is no install.sh in $archive"
sh "$1" --prefix /usr/local >"$temporary/said" 2>&1 || {
  cat "$temporary/said" >&2
  cannot "the archive cannot be installed"
}
/usr/local/bin/llavero --version >/dev/null 2>&1 || cannot "llavero does not start on this machine ($(uname -m))"

# In a file that the system's configuration includes. VS Code copies the host's configuration into the user's home only
# where there is none, and may replace all helpers in the system's own file. Its helper then comes after this one.
configuration=/usr/local/etc/llavero.gitconfig
lines=
[ "${GIT:-true}" != true ] || lines='	helper = llavero\n'
[ "${PATHS:-false}" != true ] || lines="$lines	useHttpPath = true\n"
if [ -n "$lines" ]; then
  mkdir -p "${configuration%/*}"
  # shellcheck disable=SC2059 # the lines are its own
  printf "[credential]\n$lines" >"$configuration"
  if command -v git >/dev/null; then
    git config --system --get-all include.path 2>/dev/null | grep -qx "$configuration" ||
      git config --system --add include.path "$configuration"
  elif ! grep -qsF "path = $configuration" /etc/gitconfig; then
    # git comes later, or from another feature.
    printf '[include]\n\tpath = %s\n' "$configuration" >>/etc/gitconfig
  fi
fi

# A folder for the socket. The mount takes its place.
mkdir -p /run/llavero
echo "Installed $(/usr/local/bin/llavero --version)."
