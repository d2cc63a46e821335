import Terminals

extension KnownTool {
  /// Podman, skopeo and buildah.
  static let podman = KnownTool(
    ToolSetup(
      name: "podman", programs: ["podman", "skopeo", "buildah"],
      settings: { (place) throws(Failure) in
        try place.needsOnPath("docker-credential-llavero")
        return [
          (
            ConfigurationFile(path: place.config("containers/registries.conf.d/50-llavero.conf")),
            [TOMLSetting("credential-helpers", is: .strings(["llavero", "containers-auth.json"]))]
          )
        ]
      },
      next: { _ in "bring in its logins with 'llavero import docker', or log in again with 'podman login'" }),
    speaks: "docker", imports: ["docker"], page: "docker-credential-llavero(1)")
}
