# shellcheck shell=bash
# Two machines with one vault: two homes with the same key, each with its own copy of the vault's folder.

# at MACHINE: the following commands run there
at() {
  use_home "$CASE/$1"
  FOLDER=$XDG_DATA_HOME/llavero
  : >>"$ASKED"
}

# same_key_at MACHINE: gives a machine the key of the current one
same_key_at() {
  local state=$CASE/$1/home/.local/state/llavero
  install -d -m 700 "$state"
  install -m 600 "$IDENTITY" "$state/identity.txt"
}

# keep HOST PASSWORD: stores alice's password
keep() {
  helper store < <(printf 'protocol=https\nhost=%s\nusername=alice\npassword=%s\n' "$1" "$2")
  if ((status != 0)) || [[ -s $CASE/stdout ]]; then fail "not stored: $1 $2" "$(said)"; fi
}

# has HOST PASSWORD: git gets this password; messages, for example about merged copies, are ignored
has() {
  helper get < <(printf 'protocol=https\nhost=%s\n' "$1")
  ((status == 0)) && printf 'username=alice\npassword=%s\n' "$2" | cmp -s - "$CASE/stdout" ||
    fail "expected $2 for $1 in $HOME" "$(said)"
}

# secrets: prints `HOST PASSWORD` for every item in use here, and nothing else
secrets() {
  local host secret
  llavero list --format '{server}\n' | while read -r host; do
    secret=$(llavero get "https://$host" --account alice)
    echo "$host $secret"
  done | LC_ALL=C sort
}

# count_earlier HOST: the number of entries that undelete lists
count_earlier() {
  llavero undelete "https://$1" --account alice --list --json | jq length
}

# earlier_secrets HOST: the secrets that undelete restores, one by one, in a copy of this machine
earlier_secrets() {
  local turn copy
  copy=$(mktemp -d "$CASE/copy.XXXXXX")
  # A sync program's temporary files come and go meanwhile.
  for _ in {1..50}; do
    if cp -a "$HOME" "$copy/home"; then break; fi
    rm -rf "$copy/home"
  done
  (
    use_home "$copy"
    # The secret that was in use becomes the first in the list, so each is the last one at some time. More entries may
    # appear, because undelete writes the vault, and writing merges what a sync program has brought.
    for ((turn = $(count_earlier "$1") + 3; turn > 0; turn--)); do
      llavero undelete "https://$1" --account alice --entry "$(count_earlier "$1")" 2>/dev/null || break
      llavero get "https://$1" --account alice
    done
  )
  rm -rf "$copy"
}

# documented WORD: the commands that man/llavero-sync.7 shows in the paragraph that begins with the word
documented() {
  sed -n "/^$1/,/^\\.Ed/p" "$ROOT/man/llavero-sync.7" | sed -n '/^\.Bd/,/^\.Ed/{/^\./d;p}' |
    sed 's/^\$ //; s/^    //; s/\\e/\\/g; s/\\&//g'
}
