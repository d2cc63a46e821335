# shellcheck shell=bash
# A mail server on loopback that lets people in by the tokens of $django: Dovecot for IMAP and submission, which asks
# $django about each token, and aiosmtpd for what it passes on. What ada sends comes to her own mailbox. Sourced after
# sign-in.sh and login.sh.

requires dovecot-imapd dovecot-submissiond msmtp python3-aiosmtpd
if_long requires isync libsasl2-modules-kdexoauth2

# start_mail: sets imap and submission to the ports of a mail server for the tokens of $django
start_mail() {
  local user as=() users=() relay
  control "$django" application client_id=dovecot secret=hush grant=client-credentials
  read -r imap submission relay < <(free_ports 3 | xargs)
  # Dovecot's programs run as one person, who isn't root and has to reach the folder.
  if ((EUID == 0)); then
    user=nobody
    mail=$(mktemp -d /dev/shm/llavero-test.XXXXXX)
    trap 'end_processes; rm -rf "$mail"' EXIT
    as=(setpriv --reuid nobody --regid nogroup --clear-groups)
  else
    user=$(id -un)
    mail=$CASE/mail
    mkdir "$mail"
  fi
  mkdir "$mail/run"
  cp "$CA" "$CASE/server.crt" "$CASE/server.key" "$mail/"
  cat >"$mail/tokens.conf" <<CONF
introspection_mode = post
introspection_url = https://dovecot:hush@${django#https://}/introspect/
active_attribute = active
active_value = true
username_attribute = username
# $django knows the person as ada, her address is longer.
username_format = %n
tls_ca_cert_file = $mail/${CA##*/}
CONF
  cat >"$mail/dovecot.conf" <<CONF
base_dir = $mail/run
state_dir = $mail/run
log_path = $mail/log
auth_verbose = yes
default_internal_user = $user
default_internal_group = $(if ((EUID == 0)); then echo nogroup; else id -gn; fi)
default_login_user = $user
first_valid_uid = 1
protocols = imap submission
listen = 127.0.0.1
ssl = required
ssl_cert = <$mail/server.crt
ssl_key = <$mail/server.key
auth_mechanisms = plain xoauth2 oauthbearer
mail_location = maildir:$mail/ada
submission_relay_host = 127.0.0.1
submission_relay_port = $relay
passdb {
  driver = oauth2
  args = $mail/tokens.conf
}
userdb {
  driver = static
  args = home=$mail
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 0
  }
  inet_listener imaps {
    port = $imap
    ssl = yes
  }
}
service submission-login {
  chroot =
  inet_listener submission {
    port = $submission
  }
}
service stats {
  chroot =
}
CONF
  if ((EUID == 0)); then chown -R nobody:nogroup "$mail"; fi
  background "${as[@]}" /usr/bin/python3 -m aiosmtpd -n -l "127.0.0.1:$relay" -c aiosmtpd.handlers.Mailbox "$mail/ada" \
    >"$CASE/relay.log" 2>&1
  background "${as[@]}" dovecot -F -c "$mail/dovecot.conf" >"$CASE/dovecot.log" 2>&1
  wait_for 20 grep -qs 'starting up' "$mail/log" || fail "no mail server" "$(cat "$CASE/dovecot.log" "$mail/log")"
  wait_for 20 accepts "$relay" || fail "no relay" "$(cat "$CASE/relay.log")"
}

accepts() { # PORT
  (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}
