# shellcheck shell=bash
# What `integration/demo --serve` shows: programs that need a desktop's keyring, on a machine that has none.

title 'A machine without a keyring'
say 'No desktop, no keyring, as on a server: only a message bus. gh and the others find nowhere to keep a secret.'
venv=$root/.build/venv/bin
mkdir -p "$XDG_DATA_HOME/dbus-1/services" programs
for name in gh keyring; do ln -s "$venv/$name" "programs/$name"; done
PATH=$CASE/programs:$PATH
export XDG_DATA_DIRS=$CASE/nothing PYTHON_KEYRING_BACKEND=keyring.backends.SecretService.Keyring
start_bus_with_services "$XDG_DATA_HOME/dbus-1/services"
unset LLAVERO_KEYCHAIN
shown 'printf rosebud | secret-tool store --label=Backup host nas.example purpose backup'
if ((status == 0)); then fail 'demo: there is a keyring'; fi

title 'One command'
works 'llavero setup secret-service --yes --log'
good 'from now on the bus starts llavero when a program needs a keyring'

title 'Programs keep their secrets'
works 'printf rosebud | secret-tool store --label=Backup host nas.example purpose backup'
works 'echo swordfish | keyring set https://pypi.example/simple/ alice'
works "printf '{\"ServerURL\":\"registry.example\",\"Username\":\"alice\",\"Secret\":\"open-sesame\"}' | docker-credential-secretservice store"
say 'GitHub is a small program on this machine here; gh itself is the real one.'
background python3 "$SUPPORT/git-and-sign-in/github-api.py" "$CASE/github" gho_speakfriend=alice >requests
wait_for 20 listens "$CASE/github" || fail 'demo: the stand-in for GitHub does not start'
export GH_CONFIG_DIR=$CASE/gh
gh config set http_unix_socket "$CASE/github"
works 'echo gho_speakfriend | gh auth login --with-token'
works "printf 'protocol=https\nhost=git.example.com\nusername=alice\npassword=abracadabra\n' | git-credential-llavero store"

title 'And find them again'
works 'secret-tool lookup host nas.example purpose backup'
expect rosebud
works 'keyring get https://pypi.example/simple/ alice'
expect swordfish
works 'gh auth token'
expect gho_speakfriend
say "git's login, for a program that uses libsecret:"
works 'secret-tool lookup server git.example.com user alice'
expect abracadabra
works 'llavero list'
works 'llavero serve log'
expect ' read '

title 'All of it is in one encrypted file'
secrets=(rosebud swordfish open-sesame gho_speakfriend abracadabra)
for secret in "${secrets[@]}"; do
  for text in "$secret" "$(printf %s "$secret" | base64)"; do
    if grep -rlqF -- "$text" "$HOME" "$GH_CONFIG_DIR"; then fail "demo: $secret is in the clear"; fi
  done
done
good 'none of the five is anywhere on this disk in the clear'
works "age -d -i '$XDG_STATE_HOME/llavero/identity.txt' '$XDG_DATA_HOME/llavero/vault.age' | grep -c '\"secret'"
good "and age, which knows nothing of llavero, opens it"

title 'And back'
works 'llavero setup secret-service --remove --yes'
