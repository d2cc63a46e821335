# shellcheck shell=bash
# Records the traffic on the private bus, and finds the calls of a program under test in it.

# record_bus: records from here on, as text in $CASE/bus.text and as bytes in $CASE/bus.raw
record_bus() {
  rm -f "$CASE"/bus.*
  background dbus-monitor --session >"$CASE/bus.text" 2>&1
  monitors=("$!")
  background dbus-monitor --session --pcap >"$CASE/bus.raw" 2>/dev/null
  monitors+=("$!")
  wait_for 10 mark_bus start || fail "dbus-monitor doesn't record:" "$(cat "$CASE/bus.text")"
}

# mark_bus NAME: sends a call without effect, and succeeds when both records contain it
mark_bus() {
  dbus-send --session --print-reply --dest=org.freedesktop.DBus "/mark/$1" org.freedesktop.DBus.Peer.Ping >/dev/null
  grep -q "path=/mark/$1;" "$CASE/bus.text" && LC_ALL=C grep -qaF "/mark/$1" "$CASE/bus.raw"
}

# bus_recorded: ends the record, and writes a line `INTERFACE.METHOD OBJECT PATHS WHEN CLIENT` to $CASE/calls for each
# call; PATHS is the number of object paths passed to it, WHEN is `first` until the service has answered that client.
# Only clients that came onto the bus in the meantime count.
bus_recorded() {
  local monitor
  wait_for 10 mark_bus end || fail "dbus-monitor lags behind"
  for monitor in "${monitors[@]}"; do
    kill "$monitor"
    wait "$monitor" || true
  done
  awk '
    function field(name, text) {
      text = $0
      if (!sub(".*[ ;]" name "=", "", text)) return ""
      sub(/[ ;].*/, "", text)
      return text
    }
    /^[a-z]/ { call = 0 }
    /^method call / {
      sender = field("sender")
      path = field("path")
      if (field("member") == "Hello") came[sender] = 1
      if (path ~ "^/mark/" || field("member") == "BecomeMonitor") ignored[sender] = 1
      if (came[sender]) {
        call = ++calls
        from[call] = sender
        what[call] = field("interface") "." field("member")
        object[call] = path
        late[call] = answered[sender]
      }
    }
    /^(method return|error) / && field("sender") != "org.freedesktop.DBus" { answered[field("destination")] = 1 }
    call && /^ +object path "/ { paths[call]++ }
    END {
      for (call = 1; call <= calls; call++) {
        if (ignored[from[call]]) continue
        print what[call], object[call], paths[call] + 0, late[call] ? "later" : "first", from[call]
      }
    }
  ' "$CASE/bus.text" >"$CASE/calls"
}

# called METHOD...: the total number of calls of these methods; METHOD without its interface
called() {
  local method count=0
  for method in "$@"; do
    count=$((count + $(grep -c "\.$method " "$CASE/calls" || true)))
  done
  echo "$count"
}

# secrets_loaded: the number of secrets that the service was asked for
secrets_loaded() {
  # GetSecrets names the items and the session, GetSecret only the session.
  awk '$1 ~ /\.GetSecrets$/ { count += $3 - 1 } $1 ~ /\.GetSecret$/ { count++ } END { print count + 0 }' "$CASE/calls"
}

# first_calls_alone CLIENTS: each of so many clients made a single call, not OpenSession, before it got an answer. Calls
# that reach gnome-keyring before it has answered a client's first call can crash it, because it may not know the client
# yet. And the path of an alias makes it read freed memory.
first_calls_alone() {
  local firsts
  firsts=$(awk '$4 == "first" && $2 != "/org/freedesktop/DBus" { print $5, $1 }' "$CASE/calls")
  if (($(wc -l <<<"$firsts") != $1 || $(cut -d ' ' -f 1 <<<"$firsts" | sort -u | wc -l) != $1)) ||
    [[ $firsts == *.OpenSession* ]]; then
    fail "the service had answered nothing when it was called like this:" "$firsts"
  fi
  if grep -F ' /org/freedesktop/secrets/aliases/' "$CASE/calls"; then fail "an alias was called"; fi
}
