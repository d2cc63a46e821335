import Terminals

extension KnownTool {
  /// pip, uv, twine, poetry and everything else that uses Python's keyring.
  static let python = KnownTool(
    ToolSetup(
      name: "python", programs: ["pip", "pip3", "uv", "twine", "poetry", "keyring"],
      settings: { (place) throws(Failure) in
        let module = try place.installed("share/llavero-keyring", having: "llavero_keyring.py")
        let pip =
          place.path("PIP_CONFIG_FILE").map { ConfigurationFile(path: $0) }
          ?? place.first(of: [place.config("pip/pip.conf"), place.home(".pip/pip.conf")])
        return [
          (
            ConfigurationFile(path: place.config("python_keyring/keyringrc.cfg")),
            [
              INISetting(
                section: "backend", key: "default-keyring", separator: "=", value: "llavero_keyring.Keyring"),
              INISetting(section: "backend", key: "keyring-path", separator: "=", value: module),
            ]
          ),
          (
            pip,
            [
              INISetting(
                section: "global", key: "keyring-provider", value: "subprocess", takesUnderscores: true)
            ]
          ),
          (
            ConfigurationFile(path: place.path("UV_CONFIG_FILE") ?? place.config("uv/uv.toml")),
            [TOMLSetting("keyring-provider", is: .string("subprocess"))]
          ),
        ]
      },
      links: { (place) throws(Failure) in
        // pip and uv call whatever has this name. Python's own program leads here through the first of the files.
        guard place.isNotAnothers("keyring") else { return [] }
        return [(place.folderForPrograms, "keyring")]
      },
      next: "put a user name into the index's URL, and store its password with 'llavero keyring set URL NAME'"
    ),
    speaks: "keyring", imports: ["keyring", "pypirc"], page: "llavero-keyring(1)")
}
