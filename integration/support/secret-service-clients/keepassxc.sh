# shellcheck shell=bash
# KeePassXC as the Secret Service of the private bus, without a display or a user.

requires keepassxc

readonly DATABASE_PASSWORD=open-sesame
readonly COLLECTION=$SERVICE_PATH/collection/passwords

# make_database: makes $CASE/passwords.kdbx, with everything exposed to the Secret Service
make_database() {
  cat >"$CASE/passwords.xml" <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<KeePassFile>
  <Meta>
    <DatabaseName>Passwords</DatabaseName>
    <RecycleBinEnabled>False</RecycleBinEnabled>
    <CustomData>
      <Item>
        <Key>FDO_SECRETS_EXPOSED_GROUP</Key>
        <Value>{00010203-0405-0607-0809-0a0b0c0d0e0f}</Value>
      </Item>
    </CustomData>
  </Meta>
  <Root><Group><UUID>AAECAwQFBgcICQoLDA0ODw==</UUID><Name>Root</Name></Group></Root>
</KeePassFile>
XML
  printf '%s\n' "$DATABASE_PASSWORD" "$DATABASE_PASSWORD" |
    keepassxc-cli import -q -p -t 100 "$CASE/passwords.xml" "$CASE/passwords.kdbx" 2>"$CASE/import" ||
    fail "the database can't be made:" "$(cat "$CASE/import")"
}

# start_keepassxc [SETTING=VALUE...]: starts it on the bus, with the database open. The settings are those of its Secret
# Service; by default it asks no questions.
start_keepassxc() {
  make_database
  configure_keepassxc "$@"
  printf '%s\n' "$DATABASE_PASSWORD" >"$CASE/database-password"
  background run_keepassxc --pw-stdin "$CASE/passwords.kdbx"
  wait_for 20 has_service || fail "KeePassXC doesn't come onto the bus:" "$(tail -n 5 "$CASE/keepassxc.log")"
  wait_for 20 collection_is false || fail "KeePassXC doesn't open its database:" "$(tail -n 5 "$CASE/keepassxc.log")"
}

# start_keepassxc_locked [SETTING=VALUE...]: the same, but nobody opens the database
start_keepassxc_locked() {
  start_keepassxc "$@"
  lock_database
}

start_keepassxc_without_database() {
  configure_keepassxc
  : >"$CASE/database-password"
  background run_keepassxc
  wait_for 20 has_service || fail "KeePassXC doesn't come onto the bus:" "$(tail -n 5 "$CASE/keepassxc.log")"
}

configure_keepassxc() {
  install -d "$XDG_CONFIG_HOME/keepassxc"
  cat >"$XDG_CONFIG_HOME/keepassxc/keepassxc.ini" <<'INI'
[General]
ConfigVersion=2
UpdateCheckMessageShown=true

[GUI]
CheckForUpdates=false

[FdoSecrets]
Enabled=true
ShowNotification=false
ConfirmAccessItem=false
ConfirmDeleteItem=false
UnlockBeforeSearch=false
INI
  local setting
  for setting in "$@"; do
    sed -i "s/^${setting%%=*}=.*/$setting/" "$XDG_CONFIG_HOME/keepassxc/keepassxc.ini"
    grep -qx "$setting" "$XDG_CONFIG_HOME/keepassxc/keepassxc.ini"
  done
}

# A background job has no stdin unless it opens one. Only one KeePassXC runs in each TMPDIR, and while it shows a dialog
# it doesn't end when asked to.
run_keepassxc() {
  exec env TMPDIR="$CASE" QT_QPA_PLATFORM=offscreen timeout -k 2 600 keepassxc "$@" \
    <"$CASE/database-password" >"$CASE/keepassxc.log" 2>&1
}

collection_is() { # LOCKED
  [[ $(collection_property Locked) == "(<$1>,)" ]]
}

collection_property() {
  call "$COLLECTION" org.freedesktop.DBus.Properties.Get org.freedesktop.Secret.Collection "$1" 2>&1
}

items_in_collection() {
  collection_property Items | grep -oF "$COLLECTION/" | wc -l
}

lock_database() {
  local prompt
  prompt=$(call "$SERVICE_PATH" org.freedesktop.Secret.Service.Lock "['$COLLECTION']" |
    grep -oE "$SERVICE_PATH/prompt/[^']+")
  call "$prompt" org.freedesktop.Secret.Prompt.Prompt '' >/dev/null
  wait_for 10 collection_is true || fail "the database doesn't lock"
}

# in_database TEXT: the file on disk contains the text, once KeePassXC has saved it
in_database() {
  wait_for 10 database_holds "$1"
}

database_holds() {
  grep -qF -- "$1" < <(keepassxc-cli export -q -f xml "$CASE/passwords.kdbx" 2>/dev/null <<<"$DATABASE_PASSWORD")
}
