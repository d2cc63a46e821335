import Keychain
import ToolCommands

extension KnownTool {
  static let podman = KnownTool(
    ToolSetup(
      name: "podman", programs: ["podman", "skopeo", "buildah"],
      settings: { (place) throws(KeychainError) in
        try place.needsOnPath("docker-credential-llavero")
        let setting = TOMLSetting("credential-helpers", is: .strings(["llavero", "containers-auth.json"]))
        return [ToolSetting(place.config("containers/registries.conf.d/50-llavero.conf"), setting)]
      },
      next: { _ in "bring in its logins with 'llavero import docker', or log in again with 'podman login'" }),
    speaks: "docker", imports: ["docker"], page: "docker-credential-llavero(1)",
    recipes: [
      "podman": recipe("podman", "pull registry.example/app:1", "the ID of the image"),
      "skopeo": recipe("skopeo", "inspect docker://registry.example/app:1", "what the image is"),
      "buildah": recipe("buildah", "pull registry.example/app:1", "the ID of the image"),
    ])

  private static func recipe(_ program: String, _ command: String, _ printed: String) -> String {
    """
        llavero setup \(program)
        llavero add https://registry.example --account alice
        \(program) \(command)

    \(program) logs in as alice, and prints \(printed). What
    '\(program) login' stores is in the keychain too, and comes first.
    """
  }
}
