# shellcheck shell=bash
# A self-signed server certificate for 127.0.0.1.

requires openssl

# certificate NAME: makes $CASE/NAME.crt and $CASE/NAME.key
certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$CASE/$1.key" -out "$CASE/$1.crt" 2>"$CASE/openssl.log" ||
    fail "no certificate" "$(cat "$CASE/openssl.log")"
}
