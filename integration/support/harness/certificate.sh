# shellcheck shell=bash
# Certificates for servers on loopback, self-signed or by an authority of their own.

requires openssl

# made_once NAME FUNCTION: puts the files into $CASE that the function makes there, and lets it make them for the first case
# of a suite only
made_once() {
  local kept=${SUITE_TMP:-$CASE}/once.$1
  if [[ ! -e $kept ]]; then
    mkdir -p "$kept.new"
    (
      CASE=$kept.new
      "$2"
    )
    mv "$kept.new" "$kept"
  fi
  cp "$kept"/* "$CASE/"
}

# certificate NAME: makes $CASE/NAME.crt and $CASE/NAME.key
certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$CASE/$1.key" -out "$CASE/$1.crt" 2>"$CASE/openssl.log" ||
    fail "no certificate" "$(cat "$CASE/openssl.log")"
}

# authority NAME: makes a certificate authority of its own, $CASE/NAME.crt and $CASE/NAME.key
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
    -addext keyUsage=critical,keyCertSign,cRLSign -keyout "$CASE/$1.key" -out "$CASE/$1.crt" 2>"$CASE/openssl.log" ||
    fail "no authority" "$(cat "$CASE/openssl.log")"
}

# certified NAME AUTHORITY [ALTERNATIVE_NAMES]: makes $CASE/NAME.crt and $CASE/NAME.key, certified by this authority
certified() {
  local extensions=(basicConstraints=CA:FALSE)
  if [[ -n ${3:-} ]]; then extensions+=("subjectAltName=$3"); fi
  if ! openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" -keyout "$CASE/$1.key" 2>"$CASE/openssl.log" |
    openssl x509 -req -days 2 -CA "$CASE/$2.crt" -CAkey "$CASE/$2.key" -set_serial "0x$(openssl rand -hex 8)" \
      -extfile <(printf '%s\n' "${extensions[@]}") -out "$CASE/$1.crt" 2>>"$CASE/openssl.log"; then
    fail "no certificate" "$(cat "$CASE/openssl.log")"
  fi
}
