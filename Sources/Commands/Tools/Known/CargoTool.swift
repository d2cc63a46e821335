import Bytes
import Interchange
import Keychain
import ToolCommands

extension KnownTool {
  static let cargo = KnownTool(
    ToolSetup(
      name: "cargo", programs: ["cargo"],
      settings: { (place) throws(KeychainError) in
        let providers = TOMLSetting.Value.element(try provider(place), of: ["cargo:token"])
        let setting = TOMLSetting("registry", "global-credential-providers", is: providers)
        return [ToolSetting(configuration(place), setting)]
      },
      earlier: { (place) throws(KeychainError) in
        let provider = try provider(place)
        return [
          EarlierAnswers(in: configuration(place)) { (text) throws(ConfigurationFault) in
            try answers(before: provider, in: text)
          }
        ]
      }, next: { _ in "bring in its logins with 'llavero import cargo', or log in again with 'cargo login'" }),
    speaks: "cargo", imports: ["cargo"], page: "cargo-credential-llavero(1)",
    recipes: [
      "cargo": """
          llavero setup cargo
          cargo login --registry corp
          cargo fetch

      'cargo login' asks for the registry's token, which llavero keeps from then on.
      """
    ])

  private static func configuration(_ place: SetupPlace) -> ConfigurationFile {
    let folder = place.path("CARGO_HOME") ?? place.home(".cargo")
    // If both exist, cargo reads the one without an extension.
    return place.first(of: [folder + "/config", folder + "/config.toml"], else: folder + "/config.toml")
  }

  private static func provider(_ place: SetupPlace) throws(KeychainError) -> String {
    try place.plain(place.shortOrAbsolute("cargo-credential-llavero", "cargo-credential-llavero"))
  }

  /// A registry's own provider takes the place of the global ones, of which the last is asked first (The Cargo Book,
  /// "Registry Authentication"; so does cargo 1.95).
  private static func answers(before provider: String, in text: [UInt8]) throws(ConfigurationFault)
    -> [String]
  {
    var answers: [String] = []
    for entry in try TOMLDocument(strictly: text).entries {
      let path = entry.path.map(\.description)
      let programs = (entry.elements ?? [entry.value]).map { TOMLDocument.string(text, $0) }
      switch (path.first, path.last) {
      case ("registry", "global-credential-providers") where path.count == 2:
        guard let own = programs.lastIndex(of: provider), own + 1 < programs.count else { continue }
        // Without their arguments, which may contain anything.
        let later = programs[(own + 1)...].map { program in
          program?.split(separator: " ").first.map(String.init) ?? "something else"
        }.joined(separator: ", ")
        answers.append("cargo asks \(later) before llavero, because it asks the last of the list first")
      case ("registry", "credential-provider") where path.count == 2 && programs.first != provider:
        answers.append("for crates.io, cargo asks the credential-provider of [registry], and not llavero")
      case ("registries", "credential-provider") where path.count == 3 && programs.first != provider:
        answers.append("for \(path[1]), cargo asks the credential-provider of that registry, and not llavero")
      default: continue
      }
    }
    return answers
  }
}
