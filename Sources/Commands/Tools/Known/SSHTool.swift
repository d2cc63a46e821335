import Keychain
import ToolCommands

extension KnownTool {
  /// ssh and ssh-add, for passwords and the passphrases of keys.
  static let ssh = KnownTool(
    ToolSetup(
      name: "ssh", programs: ["ssh"],
      settings: { (place) throws(KeychainError) in
        let own = try place.plain(place.absolute("llavero-askpass"))
        let former = former(place)
        let lines = VariableLines(
          .environment, ("SSH_ASKPASS", { _ in own }), ("LLAVERO_ASKPASS_FALLBACK", { $0 ?? former }))
        return [ToolSetting(place.config("environment.d/50-llavero.conf"), lines)]
      },
      reach: { place in
        let program = place.variable("SSH_ASKPASS")
        let isAsked = program.map { ProgramLinks.isOwn($0) || NamedPath.isLlavero($0) } ?? false
        return Program.hasDisplay || isAsked ? nil : "in a desktop's sessions"
      },
      byHand: ["sudo"],
      next: { place in
        let program = (try? place.absolute("llavero-askpass")) ?? "llavero-askpass"
        // A login over ssh reads no environment.d.
        if !Program.hasDisplay {
          return """
            for others put this into ~/.profile: \
            \(words: "export", "SSH_ASKPASS=\(program)", "SSH_ASKPASS_REQUIRE=force")
            """
        }
        return """
          log out of the desktop and in again; where ssh has a terminal or no display, it asks llavero after \
          \(words: "export", "SSH_ASKPASS=\(program)", "SSH_ASKPASS_REQUIRE=force")
          """
      }
    ),
    speaks: "askpass", page: "llavero-askpass(1)",
    recipes: [
      "ssh": """
          llavero add ssh://server.example --account alice
          export SSH_ASKPASS=llavero-askpass SSH_ASKPASS_REQUIRE=force
          ssh alice@server.example true

      ssh gets the password from llavero, and asks you for nothing. For all sessions
      put the export line into ~/.profile. 'llavero setup ssh' does it for programs of
      a desktop that have no terminal.

      The passphrase of a key is the secret of the service ssh-key:FILE, where FILE
      is the key's whole path: ssh-key:/home/alice/.ssh/id_ed25519. Give ssh-add the
      whole path, too.
      """,
      "sudo": """
          llavero add --service sudo --account "$USER"
          export SUDO_ASKPASS="$(command -v llavero-askpass)"
          sudo -A true

      sudo gets your password from llavero.
      """,
    ])

  /// The former program, which is still asked if llavero can't answer.
  private static func former(_ place: SetupPlace) -> String? {
    place.variable("SSH_ASKPASS").flatMap { program in
      ProgramLinks.isOwn(program) || NamedPath.isLlavero(program) || (try? place.plain(program)) == nil
        ? nil : program
    }
  }
}
