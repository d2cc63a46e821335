# shellcheck shell=bash
# A host on loopback that lets alice in, and what it serves to her programs.
# Sourced after certificate.sh, and after ports.sh for serve_webdav.

# private_host [TLS]: one that serves $CASE/files to alice alone; with the certificate of that name over https
private_host() {
  mkdir -p "$CASE/files"
  served python3 "$SUPPORT/tool-servers/host.py" --private "$CASE" "$SECRET" "$@"
}

# basic: what programs send for alice's password
basic() {
  printf 'Basic %s' "$(printf 'alice:%s' "$SECRET" | base64 -w 0)"
}

# let_in PATH: the host has served it to alice
let_in() {
  grep -qxF -e "$1 Bearer $SECRET" -e "$1 $(basic)" "$CASE/requests" ||
    fail "alice didn't get $1" "$(cat "$CASE/requests")" "$(said)"
}

# go_module FOLDER: what a proxy below this folder has of example.test/one, a module with an empty package
go_module() {
  mkdir -p "$1/example.test/one/@v"
  python3 - "$1/example.test/one/@v" <<'PYTHON'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + "/v1.0.0.zip", "w") as module:
    module.writestr("example.test/one@v1.0.0/go.mod", "module example.test/one\n")
    module.writestr("example.test/one@v1.0.0/one.go", "package one\n")
texts = {"list": "v1.0.0\n", "v1.0.0.info": '{"Version":"v1.0.0"}', "v1.0.0.mod": "module example.test/one\n"}
for name, text in texts.items():
    open(f"{sys.argv[1]}/{name}", "w").write(text)
PYTHON
}

# Where programs find the modules of go and of terraform, and Maven's project, on the host.
readonly THE_GO_MODULE=/team/example.test/one/@v/v1.0.0.zip
readonly THE_TERRAFORM_MODULE=/v1/modules/acme/one/null/1.0.0/download
readonly THE_MAVEN_PARENT=/com/example/parent/1/parent-1.pom

# go_proxy: a host over https that has the module below /team; sets proxy to its address
go_proxy() {
  certificate server
  go_module "$CASE/files/team"
  private_host "$CASE/server"
  proxy=https://$host
}

# terraform_archive FOLDER: what a registry on the host has of acme/one/null, an empty module
terraform_archive() {
  mkdir -p "$CASE/module" "$1"
  touch "$CASE/module/main.tf"
  tar -C "$CASE/module" -czf "$1/one.tar.gz" main.tf
}

# terraform_registry: a host with that module, which programs ask for at /v1/modules/
terraform_registry() {
  terraform_archive "$CASE/files"
  private_host
}

# maven_project: a project in $CASE/app, which is the current folder then, whose parent the host has
maven_project() {
  private_host
  mkdir -p "$CASE/files${THE_MAVEN_PARENT%/*}" "$CASE/app"
  echo '<project><modelVersion>4.0.0</modelVersion><groupId>com.example</groupId><artifactId>parent</artifactId>' \
    '<version>1</version><packaging>pom</packaging></project>' >"$CASE/files$THE_MAVEN_PARENT"
  cd "$CASE/app" || return
  cat >pom.xml <<XML
<project>
  <modelVersion>4.0.0</modelVersion>
  <parent><groupId>com.example</groupId><artifactId>parent</artifactId><version>1</version></parent>
  <artifactId>app</artifactId>
  <packaging>pom</packaging>
  <repositories><repository><id>corp</id><url>http://$host</url></repository></repositories>
</project>
XML
  # Java takes the home of the user database.
  export MAVEN_OPTS=-Duser.home=$HOME
}

# serve_webdav USER PASSWORD: serves $CASE/served, which has a folder, by rclone; sets host
serve_webdav() {
  mkdir -p "$CASE/served/folder"
  host=127.0.0.1:$(free_ports 1)
  RCLONE_USER=$1 RCLONE_PASS=$2 background rclone serve webdav "$CASE/served" --addr "$host" >"$CASE/server" 2>&1
  wait_for 20 grep -qF "$host" "$CASE/server" || fail "rclone serves nothing" "$(cat "$CASE/server")"
}
