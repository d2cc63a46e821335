# shellcheck shell=bash
# Two Syncthings on loopback that share the vaults' folders of the machines `one` and `two`, and know no other devices.

if_long requires curl syncthing

source "$SUPPORT/harness/ports.sh"

# syncthing_at MACHINE COMMAND [OPTION...]: without connections to other machines
syncthing_at() {
  env HOME="$CASE/$1/home" STNOUPGRADE=1 STNODEFAULTFOLDER=1 STNORESTART=1 \
    syncthing "$2" --home="$CASE/$1/syncthing" "${@:3}"
}

# write_config MACHINE
write_config() {
  local name
  {
    echo '<configuration version="36">'
    printf '<folder id="vault" label="vault" path="%s" type="sendreceive" rescanIntervalS="3600" %s>' \
      "$CASE/$1/home/.local/share/llavero" 'fsWatcherEnabled="true" fsWatcherDelayS="1"'
    for name in one two; do printf '<device id="%s"/>' "${device[$name]}"; done
    # As in an ordinary configuration; without it there would be no conflict copies, and the loser of a conflict would
    # be deleted.
    echo '<maxConflicts>10</maxConflicts></folder>'
    for name in one two; do
      printf '<device id="%s" name="%s"><address>tcp://127.0.0.1:%s</address></device>\n' \
        "${device[$name]}" "$name" "${listens[$name]}"
    done
    printf '<gui enabled="true" tls="false"><address>127.0.0.1:%s</address><apikey>%s</apikey></gui>\n' \
      "${gui[$1]}" key
    echo '<options>'
    printf '<listenAddress>tcp://127.0.0.1:%s</listenAddress>\n' "${listens[$1]}"
    echo '<globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>'
    echo '<relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><startBrowser>false</startBrowser>'
    echo '<urAccepted>-1</urAccepted><crashReportingEnabled>false</crashReportingEnabled>'
    echo '<autoUpgradeIntervalH>0</autoUpgradeIntervalH><stunKeepaliveStartS>0</stunKeepaliveStartS>'
    echo '<reconnectionIntervalS>5</reconnectionIntervalS><setLowPriority>false</setLowPriority>'
    echo '</options></configuration>'
  } >"$CASE/$1/syncthing/config.xml"
}

# start_syncthings: requires the folders with their .stignore
start_syncthings() {
  declare -gA device gui listens
  local name ports
  command -v syncthing >/dev/null || skip "there is no syncthing here"
  mapfile -t ports < <(free_ports 4)
  listens=([one]=${ports[0]} [two]=${ports[1]})
  gui=([one]=${ports[2]} [two]=${ports[3]})
  for name in one two; do
    syncthing_at $name generate --skip-port-probing >"$CASE/$name-generated" 2>&1 ||
      fail "syncthing makes no key:" "$(cat "$CASE/$name-generated")"
    device[$name]=$(syncthing_at $name serve --device-id)
  done
  for name in one two; do
    write_config $name
    # The process itself, not a shell that waits for it.
    background env HOME="$CASE/$name/home" STNOUPGRADE=1 STNODEFAULTFOLDER=1 STNORESTART=1 syncthing serve \
      --home="$CASE/$name/syncthing" --no-browser --no-restart --skip-port-probing >"$CASE/$name/syncthing.log" 2>&1
  done
  for name in one two; do
    within 30 ask_syncthing $name system/ping >"$CASE/ping" || fail "syncthing doesn't start:" "$(tail "$CASE/$name/syncthing.log")"
  done
}

# ask_syncthing MACHINE PATH [METHOD]: prints the answer of its interface, or why there is none
ask_syncthing() {
  curl -sSf --noproxy '*' --max-time 20 -X "${3:-GET}" -H 'X-API-Key: key' "http://127.0.0.1:${gui[$1]}/rest/$2" 2>&1
}

# tell_syncthing MACHINE PATH
tell_syncthing() {
  ask_syncthing "$1" "$2" POST >"$CASE/told" ||
    fail "syncthing doesn't do $2:" "$(cat "$CASE/told")"
}

# scan: both look for changes
scan() {
  tell_syncthing one 'db/scan?folder=vault'
  tell_syncthing two 'db/scan?folder=vault'
}

is_synced() {
  scan
  has_all one two && has_all two one && same_folders
}

# has_all MACHINE OTHER: it is connected to the other one, is idle, and both have all of the folder
has_all() {
  ask_syncthing "$1" system/connections | jq -e --arg other "${device[$2]}" '.connections[$other].connected' &&
    ask_syncthing "$1" 'db/status?folder=vault' | jq -e '.state == "idle" and .needTotalItems == 0' &&
    ask_syncthing "$1" "db/completion?folder=vault&device=${device[$2]}" | jq -e '.needItems == 0'
} >/dev/null 2>&1

# same_folders: both have the same vault files
same_folders() {
  local name
  for name in one two; do
    (cd "$CASE/$name/home/.local/share/llavero" && find . -maxdepth 1 -name 'vault*.age' -exec sha256sum {} +) \
      2>/dev/null | LC_ALL=C sort >"$CASE/$name-files"
  done
  cmp -s "$CASE/one-files" "$CASE/two-files"
}

synced() {
  within 40 is_synced || fail "not in sync:" "$(cat "$CASE/one-files" "$CASE/two-files")" \
    "$(tail -n 5 "$CASE/one/syncthing.log" "$CASE/two/syncthing.log")"
}

# within SECONDS COMMAND...: repeats the command, which takes some time itself, until it succeeds
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}
