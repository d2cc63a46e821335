import Keychain
import ToolCommands

extension KnownTool {
  static let docker = KnownTool(
    ToolSetup(
      name: "docker", programs: ["docker"],
      settings: { (place) throws(KeychainError) in
        try place.needsOnPath("docker-credential-llavero")
        return [ToolSetting(configuration(place), JSONMember(name: "credsStore", value: "llavero"))]
      },
      earlier: { place in
        [
          EarlierAnswers(in: configuration(place)) { (text) throws(ConfigurationFault) in
            try EarlierAnswers.members(of: "credHelpers", in: text).filter { $0.text != "llavero" }.map {
              "docker asks \($0.text ?? "another helper") for \($0.name), whatever credsStore says"
            }
          }
        ]
      },
      next: { _ in "bring in its logins with 'llavero import docker', or log in again with 'docker login'" }),
    speaks: "docker", imports: ["docker"], page: "docker-credential-llavero(1)",
    recipes: [
      "docker": """
          llavero setup docker
          llavero add https://registry.example --account alice
          docker manifest inspect registry.example/app:1

      docker logs in as alice, and prints the manifest; it pulls and pushes with the
      same login. What 'docker login' stores is in the keychain too, and comes first.
      """
    ])

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: (place.path("DOCKER_CONFIG") ?? place.home(".docker")) + "/config.json")
  }
}
