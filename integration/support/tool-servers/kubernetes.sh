# shellcheck shell=bash
# A cluster on loopback that lets in by a token or a certificate, and the configuration by which kubectl finds it.

source "$SUPPORT/harness/certificate.sh"

KUBECTL=$(command -v kubectl || echo "$(dirname "${LLAVERO_TEST_PYTHON:-$ROOT/.build/venv/bin/python}")/kubectl")

# start_cluster FILE USER CONFIGURATION: starts it at $server, and writes the file. kubeconfig FILE USER CONFIGURATION:
# one that names this user of the cluster, with this configuration
start_cluster() {
  certificate server
  certificate client
  served python3 "$SUPPORT/tool-servers/kubernetes-api.py" "$CASE" "$SECRET"
  server=https://$host
  kubeconfig "$@"
}

kubeconfig() {
  mkdir -p "${1%/*}"
  cat >"$1" <<YAML
apiVersion: v1
kind: Config
current-context: prod
clusters:
- name: prod
  cluster:
    server: $server
    certificate-authority: $CASE/server.crt
contexts:
- name: prod
  context:
    cluster: prod
    user: $2
users:
- name: $2
  user: $3
YAML
}

# asks_llavero COMMAND VERSION PROVIDES-INFO ARGUMENT...: the configuration of a user whom llavero logs in
asks_llavero() {
  printf '{exec: {apiVersion: client.authentication.k8s.io/%s, command: %s, args: [%s], provideClusterInfo: %s, %s}}' \
    "$2" "$1" "$(IFS=, && echo "${*:4}")" "$3" 'interactiveMode: IfAvailable'
}
