import Terminals

extension KnownTool {
  /// Docker.
  static let docker = KnownTool(
    ToolSetup(
      name: "docker", programs: ["docker"],
      settings: { (place) throws(Failure) in
        let folder = place.path("DOCKER_CONFIG") ?? place.home(".docker")
        try place.needsOnPath("docker-credential-llavero")
        return [
          (
            ConfigurationFile(path: folder + "/config.json"),
            [JSONMember(name: "credsStore", value: "llavero")]
          )
        ]
      },
      next: "bring in its logins with 'llavero import docker', or log in again with 'docker login'"),
    speaks: "docker", imports: ["docker"], page: "docker-credential-llavero(1)")
}
