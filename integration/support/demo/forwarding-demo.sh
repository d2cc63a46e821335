# shellcheck shell=bash
# What `integration/demo --forward` shows: a host that has no login of its own, and clones a private repository.

source "$SUPPORT/forwarding/hosts.sh"

# there COMMAND: shows it as it is typed, and runs it on the host, through real ssh and sshd
there() {
  printf '$ ssh build.example %s\n' "'$1'"
  status=0
  said=$(on build.example "$1" 2>&1) || status=$?
  if [[ -n $said ]]; then printf '%s\n' "$said"; fi
}

works_there() {
  there "$1"
  if ((status != 0)); then fail "demo: that failed with status $status"; fi
}

title 'A laptop with two logins, and a host with none'
git config --global user.name Alice
git config --global user.email alice@example.com
make_repository private.git
make_repository payroll.git
printf 'alice:rosebud\n' >server.users
start_server server
url=http://127.0.0.1:$port
printf rosebud | llavero add "$url/private.git" --account alice 2>/dev/null
printf rosebud | llavero add "$url/payroll.git" --account alice 2>/dev/null
works 'llavero list'
say 'build.example is real sshd, in namespaces on this machine: with a home, a disk and processes of its own, and nothing'
say "of the laptop's. It has git and llavero, and git asks llavero:"
set_up_ssh
make_host build.example
printf '[credential]\n\thelper = llavero\n\tuseHttpPath = true\n' >hosts/build.example/home/.gitconfig
there "git clone $url/private.git"
if ((status == 0)); then fail 'demo: the host had a login'; fi
good 'without the laptop, it has none'

title 'What it may have'
works 'llavero forward start --quiet'
works "llavero forward allow build.example $url/private.git --tool git"
works 'llavero forward list'
expect build.example

title 'The host clones and pushes'
say 'ssh forwards the agent. The host is known by its key, and git there asks the laptop:'
works_there "git clone $url/private.git && cd private && git log --oneline"
works_there 'cd private && git config user.name Alice && git config user.email alice@example.com && echo More >>README && git commit -qam "Say more" && git push -q && echo pushed'
[[ $(git -C repositories/private.git log -1 --format=%s main) == 'Say more' ]] || fail 'demo: nothing was pushed'
good 'with a login that it never had'

title 'And nothing else'
there "git clone $url/payroll.git"
if ((status == 0)); then fail 'demo: the host got more than it was allowed'; fi
there 'llavero list'
if [[ $said == *payroll* ]]; then fail 'demo: the host sees what it may not have'; fi
good 'for the host, the other login does not exist'
there "llavero delete $url/private.git --yes"
if ((status == 0)); then fail 'demo: the host deleted something'; fi
good 'and what it may use, it may not delete'

title 'Who asked for what'
works 'llavero forward log'
expect 'build.example'
expect 'answered'

title 'Afterwards'
works 'llavero forward stop'
say "Every file of the host's disk, searched for the password:"
shown 'grep -rlF rosebud hosts/build.example'
if [[ -n $said ]]; then fail 'demo: a password lies on the host'; fi
good 'there is none'
