# shellcheck shell=bash
# What `integration/demo --sign-in` shows: signing in by a code and by a browser, and tokens that renew themselves.

source "$SUPPORT/harness/certificate.sh"
SUITE_TMP=$CASE/kept
LLAVERO_TEST_PYTHON=$root/.build/venv/bin/python
mkdir "$SUITE_TMP"
source "$SUPPORT/git-and-sign-in/sign-in.sh"

# over: the tokens that were given so far have expired, for the server and for llavero
over() {
  say 'The tokens of this server are good for an hour. This demo leaps over the hour:'
  control "$django" expire
  past
}

# renewals NUMBER: so many tokens were renewed, and no renewal was refused
renewals() {
  local count
  count=$(logged django 'token refresh_token [a-z]* ok')
  ((count == $1)) || fail "demo: expected $1 renewals, not $count"
  if (($(logged django 'token refresh_token') != count)); then fail 'demo: the server refused a renewal'; fi
}

git config --global user.name Ada
git config --global user.email ada@example.com
make_repository private.git

title 'A server that takes no passwords'
say 'django-oauth-toolkit on this machine, with a private repository that only a token of its own opens.'
start_django
url=$django/private.git
works "git config --global http.sslCAInfo $CA"
works 'git config --global credential.helper llavero'
say 'What Git Credential Manager has in its configuration for such a server works as it is:'
works "git config --global credential.$django.oauthClientId device"
works "git config --global credential.$django.oauthAuthorizeEndpoint /authorize/"
works "git config --global credential.$django.oauthTokenEndpoint /token/"
works "git config --global credential.$django.oauthDeviceEndpoint /device-authorization/"

title 'Over ssh: a code that you type on any device'
say 'A small program stands in for Ada, who reads the code and consents on her telephone.'
declare -f ask decide decides >functions
export CA CLIENT
printf '$ llavero login %s\n' "$django"
said=$(SSH_CONNECTION='x' "$SUPPORT/people/on-terminal.py" 'see type this code' 'see Waiting' \
  "run exec bash -euc '. $CASE/functions; decides $django accept'" 'see you are signed in' \
  -- llavero login "$django" 2>&1) || true
printf '%s\n' "$said" | tr '\r' '\n' | sed 's/\x1b\[K//g; /^$/d; /^status/d; /^echo on$/d' | awk '!/Waiting/ || !waited++'
expect 'you are signed in'
expect 'status 0'
works "git clone $url first"
good 'git asked nobody'

title 'The token expires, and git never notices'
over
works 'git -C first fetch'
renewals 1
good 'llavero got a new token before it answered'
over
works '(cd first && echo "More to say." >>README && git commit -qam "Say more" && git push -q)'
renewals 2
[[ $(git -C "$CASE/repositories/private.git" log -1 --format=%s main) == 'Say more' ]] || fail 'demo: nothing was pushed'
good 'the commit is on the server'
works 'llavero list --expiring 1d'
expect 'renews itself'

title 'Signing out'
say 'That also tells the server to forget the tokens.'
works "llavero logout $django"
if (($(logged django 'revoke') == 0)); then fail 'demo: nothing was revoked'; fi
say 'A job, which nobody watches, gets nothing, at once, and a line for its log:'
shown "git ls-remote $url"
if ((status == 0)); then fail 'demo: it went on'; fi
expect 'llavero login'

title 'On a desktop: the browser opens by itself'
say 'Another small program stands in for the browser. Git asks for the login, and nothing has to be typed before.'
works "git config --global credential.$django.oauthClientId web"
use_browser
works "git clone $url second"
browsed
say 'What the browser shows in the end:'
page=$(sed -n 's/^<h1>\(.*\)<\/h1>$/  \1/p; s/^<p>\(.*\)<\/p>$/  \1/p' browser/page)
printf '%s\n' "$page"
[[ $page == *'You are signed in'* ]] || fail 'demo: the browser shows something else'
before=$(logged django 'token refresh_token [a-z]* ok')
over
works 'git -C second fetch && git -C second log --oneline'
expect 'Say more'
renewals $((before + 1))
(($(wc -l <browser/opened) == 1)) || fail 'demo: the browser was opened again'
good 'the browser was needed once'

title 'Many at once'
over
before=$(logged django 'token refresh_token')
say '20 commands of git start at the same moment.'
fetching=()
for ((number = 1; number <= 20; number++)); do
  git -C second ls-remote -q origin >"out-$number" 2>&1 &
  fetching+=("$!")
done
for process in "${fetching[@]}"; do wait "$process" || fail 'demo: one failed' "$(cat out-*)"; done
renewals $((before + 1))
printf '%d renewed\n' "$(($(logged django 'token refresh_token') - before))"
good 'one of them asked for a new token, and all had it'
