import Terminals

extension KnownTool {
  /// ssh and ssh-add, for the passphrases of keys.
  static let ssh = KnownTool(
    ToolSetup(
      name: "ssh", programs: ["ssh"],
      settings: { (place) throws(Failure) in
        [
          (
            ConfigurationFile(path: place.config("environment.d/50-llavero.conf")),
            [
              VariableLine(
                .environment, "SSH_ASKPASS", is: try place.plain(place.absolute("llavero-askpass")))
            ]
          )
        ]
      },
      next: { _ in
        "log out of the desktop and in again; on a terminal, ssh asks there unless SSH_ASKPASS_REQUIRE=prefer"
      }
    ),
    speaks: "askpass", page: "llavero-askpass(1)")
}
