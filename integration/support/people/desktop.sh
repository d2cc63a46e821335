# shellcheck shell=bash
# A display for the programs of a desktop, and Seahorse on it. After secret-service-provider.sh.

if_long requires at-spi2-core dbus-bin gir1.2-atspi-2.0 python3-gi xdotool xvfb

# start_screen: a display
start_screen() {
  background run_display
  wait_for 20 test -s "$CASE/display" || fail "Xvfb doesn't start:" "$(cat "$CASE/display.log")"
  DISPLAY=:$(cat "$CASE/display")
  export DISPLAY
}

# start_display: a screen, and the bus by which programs tell what they show
start_display() {
  start_screen
  export GDK_BACKEND=x11 GTK_MODULES=gail:atk-bridge GSETTINGS_BACKEND=memory
  background /usr/libexec/at-spi-bus-launcher --launch-immediately >"$CASE/accessibility.log" 2>&1
  wait_for 20 has_owner org.a11y.Bus || fail "no accessibility:" "$(cat "$CASE/accessibility.log")"
}

# -noreset: it would refuse whoever comes while it starts anew, which it does when its last client has gone.
run_display() {
  exec Xvfb -displayfd 5 -screen 0 1000x700x24 -nolisten tcp -noreset 5>"$CASE/display" >"$CASE/display.log" 2>&1
}

# window VERB ARGUMENT...: see window.py
window() {
  "$SUPPORT/people/window.py" "$@"
}

# --- Seahorse

# start_seahorse: shows the collection `Login`
start_seahorse() {
  start_display
  background seahorse >"$CASE/seahorse.log" 2>&1
  # shellcheck disable=SC2034 # the suite uses it
  seahorse=$!
  succeeds timeout 30 xdotool search --sync --onlyvisible --class seahorse windowsize --sync 1000 700
  succeeds window clicks Login row
}

# seahorse_menu ROW ENTRY: from the menu of a collection or an item
seahorse_menu() {
  succeeds window clicks "$1" row
  succeeds window menu "$1" row
  succeeds window clicks "$2" 'menu item'
}

# seahorse_adds KIND
seahorse_adds() {
  succeeds window leftmost 'toggle button'
  succeeds window clicks "$1" row
}
