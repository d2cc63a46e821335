import Keychain
import Terminals

extension KnownTool {
  static let podman = KnownTool(
    ToolSetup(
      name: "podman", programs: ["podman", "skopeo", "buildah"],
      settings: { (place) throws(KeychainError) in
        try place.needsOnPath("docker-credential-llavero")
        return [
          (
            ConfigurationFile(path: place.config("containers/registries.conf.d/50-llavero.conf")),
            TOMLSetting("credential-helpers", is: .strings(["llavero", "containers-auth.json"]))
          )
        ]
      },
      next: { _ in "bring in its logins with 'llavero import docker', or log in again with 'podman login'" }),
    speaks: "docker", imports: ["docker"], page: "docker-credential-llavero(1)",
    recipes: [
      ToolRecipe(
        name: "podman",
        text: #"""
          PODMAN

              llavero setup podman
              llavero add https://registry.example --account alice
              podman pull registry.example/app:1

          podman logs in as alice, and prints the ID of the image. What
          'podman login' stores is in the keychain too, and comes first.

          """#),
      ToolRecipe(
        name: "skopeo",
        text: #"""
          SKOPEO

              llavero setup skopeo
              llavero add https://registry.example --account alice
              skopeo inspect docker://registry.example/app:1

          skopeo logs in as alice, and prints what the image is. What
          'skopeo login' stores is in the keychain too, and comes first.

          """#),
      ToolRecipe(
        name: "buildah",
        text: #"""
          BUILDAH

              llavero setup buildah
              llavero add https://registry.example --account alice
              buildah pull registry.example/app:1

          buildah logs in as alice, and prints the ID of the image. What
          'buildah login' stores is in the keychain too, and comes first.

          """#),
    ])
}
