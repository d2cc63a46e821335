import Bytes
import Interchange
import Keychain
import ToolCommands

extension KnownTool {
  /// pip, uv, twine, poetry and everything else that uses Python's keyring.
  static let python = KnownTool(
    ToolSetup(
      name: "python", programs: ["pip", "pip3", "uv", "twine", "poetry", "keyring"],
      settings: { (place) throws(KeychainError) in
        let module = try place.installed("share/llavero-keyring", having: "llavero_keyring.py")
        let keyring = INISetting(
          [
            ("backend", "default-keyring", "llavero_keyring.Keyring"), ("backend", "keyring-path", module),
          ], separator: "=")
        return [
          ToolSetting(place.config("python_keyring/keyringrc.cfg"), keyring),
          ToolSetting(pip(place), pipSetting),
          ToolSetting(uv(place), TOMLSetting("keyring-provider", is: .string("subprocess"))),
        ]
      },
      links: { (place) throws(KeychainError) in
        // pip and uv call any program of this name. Python's own leads here through the first of the files.
        guard place.isNotAnothers("keyring") else { return [] }
        return [(place.folder(of: "keyring"), "keyring")]
      },
      earlier: { place in
        // A command's own section, and uv's for its pip, come before the rest (pip 26 and uv 0.13 do so).
        [
          EarlierAnswers(in: pip(place)) { (text) throws(ConfigurationFault) in
            try INIDocument(strictly: text).options.filter {
              $0.section != "global" && ["keyring-provider", "keyring_provider"].contains($0.name)
                && $0.joined(in: text) != Array("subprocess".utf8)
            }.map {
              "[\($0.section)] has a keyring-provider of its own for pip"
            }
          },
          EarlierAnswers(in: uv(place)) { (text) throws(ConfigurationFault) in
            guard
              let entry = try TOMLDocument(strictly: text).entry(["pip", "keyring-provider"]),
              TOMLDocument.string(text, entry.value) != "subprocess"
            else { return [] }
            return ["[pip] has a keyring-provider of its own for 'uv pip'"]
          },
        ]
      },
      together: "pip, uv and Python's keyring are set up together",
      next: { _ in
        "put a user name into the index's URL, and store its password with 'llavero keyring set URL NAME'"
      }
    ),
    speaks: "keyring", imports: ["keyring", "pypirc", "pip", "uv"], page: "llavero-keyring(1)",
    recipes: [
      "pip": """
          llavero setup pip
          llavero add https://pypi.example --account alice
          pip download --no-deps -i https://alice@pypi.example/simple/ one

      pip logs in to the index as alice, and saves the package. The name in the URL
      lets it ask; so 'index-url' in pip.conf should have it, too.
      """,
      "uv": """
          llavero setup uv
          llavero add https://pypi.example --account alice
          uv pip install --index-url https://alice@pypi.example/simple/ one

      uv logs in to the index as alice. The name in the URL lets it ask.
      """,
      "twine": """
          llavero setup twine
          llavero add https://pypi.example --account alice
          twine upload --repository-url https://pypi.example/legacy/ -u alice dist/*

      twine uploads as alice, and asks for no password.
      """,
      "poetry": """
          llavero setup poetry
          llavero add https://pypi.example --account alice
          poetry source add corp https://pypi.example/simple/
          poetry lock

      poetry logs in to the source as alice.
      """,
    ])

  private static var pipSetting: INISetting {
    var setting = INISetting(
      [("global", "keyring-provider", "subprocess")],
      command: OwnCommand(
        programs: ["pip", "pip3"], file: "pip/pip.conf",
        variables: { [("XDG_CONFIG_HOME", $0), ("PIP_CONFIG_FILE", nil)] },
        arguments: { _, _ in ["config", "--user", "set", "global.keyring-provider", "subprocess"] }))
    setting.takesUnderscores = true
    return setting
  }

  private static func pip(_ place: SetupPlace) -> ConfigurationFile {
    place.path("PIP_CONFIG_FILE").map { ConfigurationFile(path: $0) }
      ?? place.first(of: [place.config("pip/pip.conf"), place.home(".pip/pip.conf")])
  }

  private static func uv(_ place: SetupPlace) -> ConfigurationFile {
    ConfigurationFile(path: place.path("UV_CONFIG_FILE") ?? place.config("uv/uv.toml"))
  }
}
