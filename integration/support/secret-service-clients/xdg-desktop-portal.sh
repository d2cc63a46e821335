# shellcheck shell=bash
# Debian's xdg-desktop-portal beside the Secret Service, and programs that ask it for their secret. After
# secret-service-provider.sh.

requires bubblewrap libjson-glib-1.0-0 libpipewire-0.3-0
extracts xdg-desktop-portal

# start_portal: on the bus that is there; what isn't there, such as its store of permissions, isn't needed for secrets
start_portal() {
  mkdir -p "$CASE/portals"
  printf '[portal]\nDBusName=%s\nInterfaces=org.freedesktop.impl.portal.Secret\nUseIn=llavero-test\n' "$SERVICE_NAME" \
    >"$CASE/portals/secrets.portal"
  background run_portal
  portal=$!
  wait_for 20 has_owner org.freedesktop.portal.Desktop || fail "the portal doesn't start:" "$(cat "$CASE/portal.log")"
}

run_portal() {
  XDG_DESKTOP_PORTAL_DIR=$CASE/portals XDG_CURRENT_DESKTOP=llavero-test TMPDIR=$CASE \
    exec "$ROOT/.build/extracted/xdg-desktop-portal/usr/libexec/xdg-desktop-portal" -v >>"$CASE/portal.log" 2>&1
}

restart_portal() {
  kill "$portal"
  wait "$portal" 2>/dev/null || true
  start_portal
}

# portal_is_served: the service has the interface, which a gnome-keyring and newer versions of llavero have
portal_is_served() {
  grep -q org.freedesktop.impl.portal.Secret < <(
    gdbus introspect --session -d "$SERVICE_NAME" -o /org/freedesktop/portal/desktop 2>/dev/null
  ) || skip "this service has nothing for the portal"
}

# with_portal COMMAND..., with_locked_portal COMMAND...: beside the service, the second with a passphrase
with_portal() {
  with_provider served_portal "$@"
}

with_locked_portal() {
  with_passphrase served_portal "$@"
}

served_portal() {
  portal_is_served
  "$@"
}

# portal_client: as a program outside of every sandbox
portal_client() {
  PYTHONDONTWRITEBYTECODE=1 timeout 90 "$LLAVERO_TEST_PYTHON" "$SUPPORT/secret-service-clients/portal-secret.py"
}

# portal_client_of APP: as a program in Flatpak's sandbox, which the portal knows by a file in its root
portal_client_of() {
  local venv
  venv=$(cd "$(dirname "$LLAVERO_TEST_PYTHON")/.." && pwd)
  printf '[Application]\nname=%s\nruntime=org.example.Platform/x86_64/1\n\n[Instance]\ninstance-id=1\n' "$1" >"$CASE/info"
  timeout 90 bwrap --unshare-pid --die-with-parent --proc /proc --dev /dev --ro-bind /usr /usr --symlink usr/bin /bin \
    --symlink usr/lib /lib --symlink usr/lib64 /lib64 --ro-bind "$venv" "$venv" --ro-bind "$SUPPORT" "$SUPPORT" \
    --ro-bind "$CASE" "$CASE" --ro-bind "$CASE/info" /.flatpak-info --setenv PYTHONDONTWRITEBYTECODE 1 \
    "$LLAVERO_TEST_PYTHON" "$SUPPORT/secret-service-clients/portal-secret.py"
}

# portal_asks APP: sets $response and $secret, in hexadecimal; APP is '' for a program outside
portal_asks() {
  if [[ -z $1 ]]; then succeeds portal_client; else succeeds portal_client_of "$1"; fi
  read -r response secret <"$CASE/stdout" || fail "no answer" "$(said)"
}

portal_secret_of() { # APP
  portal_asks "$1"
  [[ $response == 0 && $secret =~ ^[0-9a-f]{128}$ ]] || fail "no secret of 64 bytes: $response $secret" "$(tail -n 3 "$CASE/portal.log")"
}

portal_refuses() { # APP
  portal_asks "$1"
  [[ $response == [12] && -z $secret ]] || fail "not refused: $response $secret"
}
