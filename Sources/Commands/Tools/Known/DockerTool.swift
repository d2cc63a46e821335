import Bytes
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
      serversWithoutLogin: { place in
        let text = (try? configuration(place).contents()) ?? []
        return (try? servers(withoutLoginIn: text)) ?? []
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

  /// Docker leaves an empty entry where a helper has the login.
  private static func servers(withoutLoginIn text: [UInt8]) throws(JSONReader.Malformed) -> [String] {
    try text.lendingBytes { (text) throws(JSONReader.Malformed) -> [String] in
      var servers: [String] = []
      var helped: [String] = []
      var hasStore = false
      try JSONReader.members(of: text) { (member, value) throws(JSONReader.Malformed) in
        if member == "credsStore" { hasStore = true }
        guard member == "auths" || member == "credHelpers", value.kind == .object else { return }
        let isHelper = member == "credHelpers"
        try JSONReader.members(of: value.raw) { (member, value) throws(JSONReader.Malformed) in
          let server = try JSONValue.name(member).description
          if isHelper { return helped.append(server) }
          guard value.kind == .object else { return }
          var isEmpty = true
          try JSONReader.members(of: value.raw) { member, _ in
            if member == "auth" || member == "identitytoken" || member == "password" { isEmpty = false }
          }
          if isEmpty { servers.append(server) }
        }
      }
      return hasStore ? [] : servers.filter { !helped.contains($0) }
    }
  }

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: (place.path("DOCKER_CONFIG") ?? place.home(".docker")) + "/config.json")
  }
}
