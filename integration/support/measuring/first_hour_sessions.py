"""What a newcomer types to reach a goal, with llavero and with its peers, as the documentation of each says."""

from dataclasses import dataclass


@dataclass
class Session:
    """One program's way to a goal: what is typed and shown, in the form of transcript_page.py. Where nothing is shown,
    the secret is rosebud, unless `secrets` says otherwise. `before` and `check` are unseen, and have to succeed."""

    name: str
    kept: str = ""
    needs: str = ""
    typed: str = ""
    check: str = ""
    before: tuple = ()
    secrets: tuple = ()
    keyring: bool = False
    not_run: str = ""


SETUP = "$ llavero setup {}\n…\nWrite this? [y/N] y\n…\n"
CLONE = """$ git clone https://git.example.com/app.git
Cloning into 'app'...
Username for 'https://git.example.com': alice
Password for 'https://alice@git.example.com':
…
"""
PULL = "$ git -C app pull\nAlready up to date.\n"
QUIETLY = "GIT_TERMINAL_PROMPT=0 git -C app pull"
MAPPING = "~/.config/pass-git-helper/git-pass-mapping.ini"
HELPER = "$ git config --global credential.helper {}\n"
PASS_HELPER = HELPER.format("'!pass-git-helper $@'")
LOGIN = "$ docker login registry.example.com\n…\nUsername: alice\n…\nPassword:\n…\n"
# What docker asks before it pulls.
LOOK_UP = "echo registry.example.com | docker-credential-{} get | grep rosebud"
# Docker takes the helper for pass, or else that for the Secret Service, if it finds it.
ALONE = "PATH=/opt/shared/bin"
UNLOCK = "gpg --pinentry-mode loopback --passphrase correct-horse-9 -d .password-store/docker*/*/*"
AWS_KEY, AWS_SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
AWS_CHECK = f"aws configure export-credentials </dev/null | grep {AWS_SECRET}"

# A store of pass begins with a key. pinentry-tty wants the keys that pinentry-curses does.
NEW_STORE = "$ gpg --quick-generate-key alice\n…\n$ pass init alice\n…\n"
NEW_STORE_SECRETS = ("y", "correct-horse-9", "correct-horse-9")
PINENTRY = ("mkdir -m 700 .gnupg; echo pinentry-program /usr/bin/pinentry-tty >.gnupg/gpg-agent.conf",)
HOSTS = " ".join(f"{name}.example.com" for name in "abcdefghij")
TEN_ENTRIES = (
    "gpg --batch --passphrase '' --quick-generate-key alice && pass init alice",
    f"for host in {HOSTS}; do echo rosebud | pass insert --echo $host/alice || break; done",
)
TEN_LOGINS = f"(for host in {HOSTS}; do GIT_TERMINAL_PROMPT=0 git ls-remote https://$host/app.git || exit; done)"
API = "python3 /opt/support/git-and-sign-in/github-api.py $XDG_RUNTIME_DIR/github rosebud=alice >/dev/null 2>&1"
PUBLISH = (r"""install -Dm 755 <(printf '#!/bin/sh\ntest "$NPM_TOKEN" = rosebud\n') .local/bin/publish""",)

GOALS = {
    "a `git pull` that asks nothing": [
        Session("llavero", "file with a key file", "llavero git", SETUP.format("git") + CLONE + PULL, QUIETLY),
        Session("llavero, with a passphrase", "file with a passphrase", "llavero git",
                "$ llavero init --passphrase\n…\n" + SETUP.format("git") + CLONE + PULL,
                QUIETLY, secrets=("correct-horse-9",) * 2),
        Session("git with its store", "plain text", "git", HELPER.format("store") + CLONE + PULL, QUIETLY),
        Session("git with its cache", "memory, for 15 minutes", "git", HELPER.format("cache") + CLONE + PULL, QUIETLY),
        Session("git with its helper for libsecret", "desktop's keyring", "git git-credential-libsecret",
                HELPER.format("libsecret") + CLONE + PULL, QUIETLY, keyring=True),
        Session("Git Credential Manager", "plain text", "git git-credential-manager",
                "$ git-credential-manager configure\n…\n"
                "$ git config --global credential.credentialStore plaintext\n"
                "$ git clone https://git.example.com/app.git\nCloning into 'app'...\nEnter basic credentials …\n"
                "Username: alice\nPassword:\n…\n" + PULL, QUIETLY),
        Session("gh, given a token in a file", "plain text", "git gh",
                "$ gh auth login --hostname git.example.com --with-token < mytoken.txt\n$ gh auth setup-git\n"
                "$ git clone https://git.example.com/app.git\n…\n" + PULL, QUIETLY,
                (f"({API} &) && echo rosebud >mytoken.txt",
                 "gh config set http_unix_socket $XDG_RUNTIME_DIR/github")),
        Session("gh, by a browser", not_run="it signs in at github.com"),
        Session("pass with pass-git-helper", "gpg key with a passphrase", "git gpg pass pass-git-helper pinentry-tty",
                NEW_STORE + "$ pass insert git.example.com\n…\n$ mkdir -p ~/.config/pass-git-helper\n"
                f"$ printf '[*]\\ntarget=${{host}}\\n' > {MAPPING}\n" + PASS_HELPER +
                "$ GPG_TTY=$(tty)\n$ export GPG_TTY\n"
                "$ git clone https://alice@git.example.com/app.git\n…\n" + PULL, QUIETLY,
                PINENTRY, (*NEW_STORE_SECRETS, "rosebud", "rosebud", "correct-horse-9")),
    ],
    "a docker login that is kept": [
        Session("llavero", "file with a key file", "llavero docker", SETUP.format("docker") + LOGIN,
                LOOK_UP.format("llavero")),
        Session("docker alone", "plain text", "docker", LOGIN,
                "PATH=/usr/bin; grep $(printf alice:rosebud | base64) .docker/config.json", (ALONE,)),
        Session("docker-credential-secretservice", "desktop's keyring", "docker docker-credential-secretservice",
                LOGIN, "PATH=$PATH:/usr/bin; " + LOOK_UP.format("secretservice"),
                (f"{ALONE}:/opt/shared/secretservice",), keyring=True),
        Session("docker-credential-pass", "gpg key with a passphrase",
                "docker docker-credential-pass gpg pass pinentry-tty", NEW_STORE + LOGIN,
                f"{UNLOCK} && {LOOK_UP.format('pass')}", PINENTRY, NEW_STORE_SECRETS),
    ],
    "the keys of an AWS call": [
        Session("llavero", "file with a key file", "llavero aws",
                SETUP.format("aws") + f"$ llavero add --service aws:default --account {AWS_KEY}\n…\n", AWS_CHECK,
                secrets=(AWS_SECRET, AWS_SECRET)),
        Session("aws configure", "plain text", "aws",
                f"$ aws configure\nAWS Access Key ID [None]: {AWS_KEY}\nAWS Secret Access Key [None]: {AWS_SECRET}\n"
                "Default region name [None]: \nDefault output format [None]: \n", AWS_CHECK),
        Session("aws-vault", not_run="neither Debian nor PyPI has it"),
    ],
    "the ten logins of a pass store, for git": [
        Session("llavero", "file with a key file", "llavero git gpg pass",
                SETUP.format("git") + "$ llavero import pass\n…\n", TEN_LOGINS, TEN_ENTRIES),
        Session("pass-git-helper", "the store's gpg key", "git gpg pass pass-git-helper",
                "$ mkdir -p ~/.config/pass-git-helper\n"
                f"$ printf '[*]\\ntarget=${{host}}/alice\\nusername_extractor=entry_name\\n' > {MAPPING}\n" +
                PASS_HELPER, TEN_LOGINS, TEN_ENTRIES),
        Session("Git Credential Manager", not_run="it reads from a store of pass only what it has put there"),
    ],
    "a token in the environment of a job": [
        Session("llavero", "file with a key file", "llavero",
                "$ llavero add --service npm\n…\n$ llavero run --env NPM_TOKEN=llavero://npm -- publish\n",
                "llavero run --env NPM_TOKEN=llavero://npm -- publish", PUBLISH),
        Session("the shell alone", "plain text, in its history", "", "$ export NPM_TOKEN=rosebud\n$ publish\n",
                "publish", PUBLISH),
        Session("secret-tool", "desktop's keyring", "secret-tool",
                "$ secret-tool store --label=npm service npm\nPassword:\n"
                "$ NPM_TOKEN=$(secret-tool lookup service npm) publish\n",
                "NPM_TOKEN=$(secret-tool lookup service npm) publish", PUBLISH, keyring=True),
        Session("pass", "gpg key with a passphrase", "gpg pass pinentry-tty",
                NEW_STORE + "$ pass insert npm\n…\n$ NPM_TOKEN=$(pass npm) publish\n…\n",
                "NPM_TOKEN=$(pass npm) publish", PINENTRY + PUBLISH,
                (*NEW_STORE_SECRETS, "rosebud", "rosebud", "correct-horse-9")),
    ],
}  # fmt: skip
