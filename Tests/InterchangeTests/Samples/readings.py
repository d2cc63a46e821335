"""What programs make of files: python3 readings.py KIND FOLDER COUNT

Reads FOLDER/N for N from 0 to COUNT - 1, each a file of KIND with one login, and writes FOLDER/N.read: on each line the
password, in hexadecimal, that one of the programs gets from it. A program that refuses the file has no line.
"""

import base64, binascii, configparser, csv, http.server, json, netrc, os, shutil, subprocess, sys, threading, tomllib


def netrc_readings():
    heard = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            answer = self.headers.get("Authorization")
            self.send_response(200 if answer else 401)
            if answer:
                heard.append(base64.b64decode(answer.split()[1]).partition(b":")[2])
            else:
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"

    def readings(path):
        home = os.path.dirname(path)
        shutil.copy(path, home + "/.netrc")
        os.chmod(home + "/.netrc", 0o600)
        for command in (
            ["curl", "-s", "--noproxy", "*", "--netrc-file", home + "/.netrc", url],
            ["wget", "-q", "--no-proxy", "-O", "/dev/null", "-t", "1", "-T", "5", url],
        ):
            if not shutil.which(command[0]):
                continue
            heard.clear()
            subprocess.run(command, env={"HOME": home, "PATH": os.environ["PATH"]}, stderr=subprocess.DEVNULL)
            if heard and heard[-1]:
                yield heard[-1]
        login = netrc.netrc(home + "/.netrc").authenticators("127.0.0.1")
        if login and login[2]:
            yield login[2].encode()

    return readings


def git(path):
    query = "protocol=https\nhost=h.example\nusername=alice\n\n"
    command = ["git", "credential-store", "--file", path, "get"]
    answer = subprocess.run(command, input=query.encode(), capture_output=True, check=True).stdout
    for line in answer.split(b"\n"):
        if line.startswith(b"password="):
            yield line[9:]


def ini(path):
    parser = configparser.RawConfigParser()
    with open(path) as file:
        parser.read_file(file)
    return parser


def pypirc(path):
    yield ini(path).get("pypi", "password").encode()


def keyring(path):
    yield base64.decodebytes(ini(path).get("s", "a").encode())


def cargo(path):
    with open(path, "rb") as file:
        yield tomllib.load(file)["registry"]["token"].encode()


def docker(path):
    with open(path) as file:
        login = json.load(file)["auths"]["h.example"]
    password = login.get("password", "").encode()
    if login.get("auth"):
        account, colon, password = base64.b64decode(login["auth"], validate=True).partition(b":")
        password = password.strip(b"\0")
        if not account or not colon:
            return
    yield login.get("identitytoken", "").encode() or password


def table(column):
    def readings(path):
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file, strict=True))
        if len(rows) == 1 and None not in rows[0] and rows[0][column] is not None:
            yield rows[0][column].encode()

    return readings


def bitwarden(path):
    with open(path) as file:
        yield json.load(file)["items"][0]["login"]["password"].encode()


kinds = {
    "git-credentials": git, "pypirc": pypirc, "keyring": keyring, "cargo": cargo, "docker": docker,
    "chrome": table("password"), "firefox": table("password"), "keepassxc": table("Password"),
    "1password": table("Password"), "bitwarden": table("login_password"), "bitwarden.json": bitwarden,
}
kind, folder, count = sys.argv[1:]
readings = netrc_readings() if kind == "netrc" else kinds[kind]
for number in range(int(count)):
    found = []
    try:
        for password in readings(f"{folder}/{number}"):
            found.append(password)
    except (ValueError, KeyError, csv.Error, configparser.Error, netrc.NetrcParseError, binascii.Error):
        pass
    with open(f"{folder}/{number}.read", "w") as file:
        file.writelines(password.hex() + "\n" for password in found)
