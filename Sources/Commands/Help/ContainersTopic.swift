extension HelpTopic {
  static let containers = HelpTopic(
    name: "containers", summary: "Logins in containers, dev containers and builds",
    text: """
      THE KEYCHAIN OF THIS MACHINE

      Make a socket for the container, say what it may have, and mount the socket's
      folder. llavero in the image asks there, and stores nothing:

          llavero forward socket box
          llavero forward allow socket:box https://git.example
          podman run -e LLAVERO_FORWARD=/run/llavero/agent -v \\
            "$XDG_RUNTIME_DIR/llavero/forward/sockets/box:/run/llavero" IMAGE

      Or for one run only:

          llavero forward run --allow https://git.example -- sh -c 'podman run -v \\
            "${LLAVERO_FORWARD%/*}:/run/llavero" \\
            -e LLAVERO_FORWARD=/run/llavero/agent IMAGE'

      A dev container has the first socket with this. In devcontainer.json:

          "containerEnv": { "LLAVERO_FORWARD": "/run/llavero/agent" },
          "mounts": [{ "type": "bind", "target": "/run/llavero",
            "source": "${localEnv:XDG_RUNTIME_DIR}/llavero/forward/sockets/box" }]

      BUILDS

      A secret of the build is in no layer. docker build takes the same options:

          llavero run --env NPM_TOKEN=llavero://npm -- \\
            podman build --secret id=npm,env=NPM_TOKEN .

      In the Containerfile:

          RUN --mount=type=secret,id=npm NPM_TOKEN="$(cat /run/secrets/npm)" npm ci

      A KEYCHAIN OF ITS OWN

      Without a socket, the first login makes an encrypted file in the container. To
      keep it, use a volume:

          podman run -v llavero:/root/.local IMAGE

      """)
}
