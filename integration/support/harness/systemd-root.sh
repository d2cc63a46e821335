# shellcheck shell=bash
# A Debian with systemd in a folder, which systemd-nspawn boots for one unit. It is made once and kept. Sourced after
# as-root.sh and harness.sh.

requires debian-archive-keyring debootstrap systemd-container

# Its systemd is 257, which knows ImportCredential=.
readonly SYSTEMD_DEBIAN=trixie

# keep_systemd: makes its archive $SYSTEMD_ROOT, if it doesn't exist. Called before all cases, because it needs the user's
# own environment.
keep_systemd() {
  local folder recipe
  folder=${XDG_CACHE_HOME:-$ROOT/.build}/llavero-debian
  recipe=$(sha256sum "${BASH_SOURCE[0]}" | cut -c 1-12)
  SYSTEMD_ROOT=$folder/systemd-$(dpkg --print-architecture)-$recipe.tar
  if ((EUID != 0)) || [[ -s $SYSTEMD_ROOT ]]; then return; fi
  echo "Making a Debian with systemd in $folder, once"
  mkdir -p "$folder"
  rm -f "$folder"/systemd-*.tar
  # Errors are ignored here, because the case reports them.
  (
    set -e
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,git "$SYSTEMD_DEBIAN" "$SUITE_TMP/systemd" \
      "$(mirror_of_debian)"
    rm -f "$SUITE_TMP"/systemd/var/cache/apt/archives/*.deb
    tar -C "$SUITE_TMP/systemd" --numeric-owner -cf "$SYSTEMD_ROOT.new" .
    mv "$SYSTEMD_ROOT.new" "$SYSTEMD_ROOT"
  ) >"$SUITE_TMP/debootstrap.systemd" 2>&1 || true
  rm -rf "$SUITE_TMP/systemd"
}

# mirror_of_debian: prints the address of the one that apt uses here
mirror_of_debian() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1) || mirror=
  echo "${mirror:-http://deb.debian.org/debian}"
}

# fresh_systemd: unpacks it as $CASE/systemd
fresh_systemd() {
  must_be_root
  [[ -s $SYSTEMD_ROOT ]] || fail "no Debian with systemd could be made:" "$(tail -n 20 "$SUITE_TMP/debootstrap.systemd")"
  mkdir "$CASE/systemd"
  tar -C "$CASE/systemd" --numeric-owner -xf "$SYSTEMD_ROOT"
}

# boots UNIT [OPTION...]: boots it with this machine's network, for as long as the service runs, and sets $status to the
# service's own; what its programs print is in $CASE/unit
boots() {
  local unit=$1
  shift
  mkdir -p "$CASE/systemd/etc/systemd/system/$unit.service.d"
  # The machine ends with the service, and with its status.
  cat >"$CASE/systemd/etc/systemd/system/$unit.service.d/test.conf" <<'TEXT'
[Service]
StandardOutput=file:/said
StandardError=append:/said
ExecStopPost=+/bin/sh -c 'exec systemctl --no-block exit "${EXIT_STATUS:-99}"'
TEXT
  status=0
  # shellcheck disable=SC2034 # for the caller
  rm -f "$CASE/systemd/said"
  timeout 300 systemd-nspawn --quiet --directory "$CASE/systemd" --register=no --keep-unit --boot "$@" \
    "systemd.unit=$unit.service" >"$CASE/boot.log" 2>&1 </dev/null || status=$?
  # Without rights or inotify instances that are left, which all containers here share.
  if grep -q 'Exiting PID 1' "$CASE/boot.log" || [[ ! -s $CASE/boot.log && $status != 0 ]]; then
    skip "systemd doesn't boot in a container here: $(grep -aoE 'Failed to (allocate|mount|create control)[^[:cntrl:]]*' "$CASE/boot.log" | head -n 1)"
  fi
  cp "$CASE/systemd/said" "$CASE/unit" 2>/dev/null || fail "the unit was not started" "$(tail -n 30 "$CASE/boot.log")"
}
