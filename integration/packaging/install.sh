#!/bin/sh
# Puts the llavero that lies beside this file in place, or takes it away again.

set -eu

here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'TEXT'
usage: install.sh [--prefix FOLDER] [--destdir FOLDER]
       install.sh --uninstall [--prefix FOLDER] [--force]

Puts the programs, manual pages, completions and the portal's file beside this script in place. What is installed
already is replaced.

  --prefix FOLDER   where to install (default: /usr/local for root, else ~/.local)
  --destdir FOLDER  for packagers: install below this folder, as if it were the root, and keep no list
  --uninstall       give each tool that was set up its configuration back, and remove what was installed in the
                    prefix, and nothing else; what is kept in the keychain stays
  --force           with --uninstall: also where a tool's configuration can't be given back
  --help            this text
TEXT
}

say() { echo "install: $1" >&2; }

wrong_usage() {
  say "$1"
  say "hint: $0 --help"
  exit 64
}

prefix=
destdir=
uninstall=
force=
tree=$here
while [ $# -gt 0 ]; do
  case $1 in
  --prefix=*) prefix=${1#*=} ;;
  --destdir=*) destdir=${1#*=} ;;
  --prefix | --destdir | --tree)
    [ $# -gt 1 ] || wrong_usage "$1 needs a folder"
    case $1 in
    --prefix) prefix=$2 ;;
    --destdir) destdir=$2 ;;
    --tree) tree=$2 ;;
    esac
    shift
    ;;
  --uninstall) uninstall=1 ;;
  --force) force=1 ;;
  --help | -h)
    usage
    exit
    ;;
  *) wrong_usage "unknown option: $1" ;;
  esac
  shift
done
[ -z "$force" ] || [ -n "$uninstall" ] || wrong_usage "--force is for --uninstall"
is_root=
[ "$(id -u)" != 0 ] || is_root=1
if [ -z "$prefix" ]; then
  if [ -n "$is_root" ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
case $destdir in '' | /*) ;; *) destdir=$PWD/$destdir ;; esac
target=$destdir$prefix

# The list of installed files: a line for each file, each link with its target, and each folder that was created.
# Packages have a list of their own.
list=$target/libexec/llavero/installed

# --- removing

# as_person COMMAND...: runs it as the user who called sudo, whose configuration it is
as_person() {
  if [ -n "$is_root" ] && [ "${SUDO_USER:-root}" != root ]; then
    sudo -u "$SUDO_USER" -H -- "$@"
  else
    "$@"
  fi
}

# give_back: restores the configuration that the tools had before they were set up
give_back() {
  if as_person "$target/bin/llavero" setup --remove --all --yes; then return; fi
  say "not every tool has its configuration back"
  if [ -z "$force" ]; then
    say "hint: mend what is said above and try again, or uninstall all the same with --force"
    exit 2
  fi
}

take_away() {
  if [ ! -f "$list" ]; then
    say "there is no list of what was installed in $target"
    say "hint: a package is removed with the packages' tools; else install once more, and then uninstall"
    exit 2
  fi
  if [ ! -w "$target/bin" ]; then
    say "cannot write to $target/bin"
    say "hint: sudo $0 --uninstall --prefix $prefix"
    exit 2
  fi
  if [ -x "$target/bin/llavero" ]; then
    give_back
    # An agent would keep the key until its time is up.
    as_person "$target/bin/llavero" lock >/dev/null 2>&1 || true
  fi
  # A folder is listed before its contents.
  sed '1!G;h;$!d' "$list" | while IFS= read -r entry; do
    path=$target/${entry%% -> *}
    case $entry in
    *' -> '*) [ "$(readlink "$path")" != "${entry##* -> }" ] || rm -f "$path" ;;
    ./) rmdir "$target" 2>/dev/null || true ;;
    */) rmdir "$path" 2>/dev/null || true ;;
    *.py)
      # With the files that Python makes from it.
      name=${entry##*/}
      rm -f "$path" "${path%/*}/__pycache__/${name%.py}."*.pyc
      rmdir "${path%/*}/__pycache__" 2>/dev/null || true
      ;;
    *) rm -f "$path" ;;
    esac
  done
  echo "Removed llavero from $target."
  if as_person git config --global --get-all credential.helper '^llavero( |$)' >/dev/null 2>&1; then
    echo "git still looks for it: git config --global --unset-all credential.helper '^llavero'"
  fi
  echo "What the keychain holds stays where it is: in ~/.local/share/llavero, or in the desktop's keyring."
}

if [ -n "$uninstall" ]; then
  take_away
  exit
fi

# --- installing

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
installed=$temporary/installed

# note_folders PATH: notes those above it that don't exist yet, the outermost first
note_folders() {
  above=$(dirname "$1")
  [ "$above" != . ] || return 0
  note_folders "$above"
  above=$(dirname "$1")
  if [ ! -d "$target/$above" ]; then
    echo "$above/" >>"$installed"
    mkdir "$target/$above"
    chmod 755 "$target/$above"
  fi
}

[ -d "$target" ] || echo ./ >>"$installed"
had_folder=
[ ! -d "$target/bin" ] || had_folder=1
if ! mkdir -p "$target/bin" 2>/dev/null || [ ! -w "$target/bin" ]; then
  say "cannot write to $target/bin"
  say "hint: $0 --prefix \"\$HOME/.local\""
  exit 2
fi
[ -n "$had_folder" ] || echo bin/ >>"$installed"
if [ -z "$destdir" ]; then
  # First, so that it is removed last.
  note_folders libexec/llavero/installed
  echo libexec/llavero/installed >>"$installed"
fi

echo "Installed:"
(cd "$tree" && find bin libexec share \( -type f -o -type l \) ! -path libexec/llavero/installed | sort) |
  while IFS= read -r file; do
    note_folders "$file"
    if [ -L "$tree/$file" ]; then
      to=$(readlink "$tree/$file")
      ln -sf "$to" "$target/$file"
      echo "$file -> $to" >>"$installed"
    else
      mode=644
      [ ! -x "$tree/$file" ] || mode=755
      # Replaced as a whole: a program that runs can't be written to.
      cp "$tree/$file" "$target/$file.new"
      chmod $mode "$target/$file.new"
      mv -f "$target/$file.new" "$target/$file"
      echo "$file" >>"$installed"
      echo "  $target/$file"
    fi
  done

if [ -z "$destdir" ]; then
  # Files of an earlier version that this one doesn't install must be removed too.
  if [ -f "$list" ]; then cat "$list" "$installed"; else cat "$installed"; fi | awk '!seen[$0]++' >"$temporary/list"
  cp "$temporary/list" "$list"
  chmod 644 "$list"
fi

echo
case :$PATH: in
*:"$prefix/bin":*) ;;
*) [ -n "$destdir" ] || echo "Not on your PATH yet: $prefix/bin" ;;
esac
echo "Next: llavero setup git"
