import Terminals

extension KnownTool {
  /// Cargo.
  static let cargo = KnownTool(
    ToolSetup(
      name: "cargo", programs: ["cargo"],
      settings: { (place) throws(Failure) in
        let folder = place.path("CARGO_HOME") ?? place.home(".cargo")
        // If both exist, cargo reads the one without an extension.
        let file = place.first(
          of: [folder + "/config", folder + "/config.toml"], else: folder + "/config.toml")
        let provider = try place.plain(
          place.shortOrAbsolute("cargo-credential-llavero", "cargo-credential-llavero"))
        return [
          (
            file,
            [
              TOMLSetting(
                "registry", "global-credential-providers", is: .element(provider, of: ["cargo:token"]))
            ]
          )
        ]
      }, next: "bring in its logins with 'llavero import cargo', or log in again with 'cargo login'"),
    speaks: "cargo", imports: ["cargo"], page: "cargo-credential-llavero(1)")
}
