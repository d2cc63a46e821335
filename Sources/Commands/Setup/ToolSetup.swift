import EncryptedFile
import Glibc
import Processes

/// What `llavero setup` does for one tool.
struct ToolSetup: Sendable {
  /// What a person types.
  let name: String
  /// The programs that show that the tool is there.
  let programs: [String]
  /// What changes in the tool's configuration.
  let settings:
    @Sendable (SetupPlace) throws(Failure) -> [(file: ConfigurationFile, format: any ConfigurationFormat)]
  /// Links that the tool finds llavero by, besides those along the PATH.
  var links: @Sendable (SetupPlace) throws(Failure) -> [(folder: String, name: String)] = { _ in [] }
  /// What a person does next, to see that it works.
  let next: String

  /// Every tool that can be set up, in the order in which they are shown.
  static let all: [ToolSetup] = [
    ToolSetup(
      name: "git", programs: ["git"],
      settings: { (place) throws(Failure) in
        let file = place.first(
          of: [place.variable("GIT_CONFIG_GLOBAL"), place.home(".gitconfig"), place.config("git/config")],
          else: place.home(".gitconfig"))
        return [(file, GitHelperLines(helper: try place.shortOrAbsolute("llavero", ProgramLinks.git)))]
      },
      next:
        "'llavero import git-credentials' brings what git kept in plain text; else git asks once more, and never again"
    ),
    ToolSetup(
      name: "docker", programs: ["docker"],
      settings: { (place) throws(Failure) in
        let folder = place.variable("DOCKER_CONFIG") ?? place.home(".docker")
        try place.needsOnPath("docker-credential-llavero")
        return [
          (ConfigurationFile(path: folder + "/config.json"), JSONMember(name: "credsStore", value: "llavero"))
        ]
      },
      next: "'llavero import docker' brings what docker had kept; else log in once more with 'docker login'"),
    ToolSetup(
      name: "podman", programs: ["podman", "skopeo", "buildah"],
      settings: { (place) throws(Failure) in
        try place.needsOnPath("docker-credential-llavero")
        return [
          (
            ConfigurationFile(path: place.config("containers/registries.conf.d/50-llavero.conf")),
            KeyedLine("credential-helpers", is: #"["llavero", "containers-auth.json"]"#)
          )
        ]
      },
      next: "'llavero import docker' brings what podman had kept; else log in once more with 'podman login'"),
    ToolSetup(
      name: "cargo", programs: ["cargo"],
      settings: { (place) throws(Failure) in
        let folder = place.variable("CARGO_HOME") ?? place.home(".cargo")
        let file = place.first(
          of: [folder + "/config.toml", folder + "/config"], else: folder + "/config.toml")
        let provider = try place.shortOrAbsolute("cargo-credential-llavero", "cargo-credential-llavero")
        return [
          (
            file,
            KeyedLine("global-credential-providers", in: "registry") { (present) throws(ConfigurationFault) in
              try TOMLArray.appending(provider, to: present ?? #"["cargo:token"]"#)
            }
          )
        ]
      }, next: "'llavero import cargo' brings what cargo had kept; else log in once more with 'cargo login'"),
    ToolSetup(
      name: "python", programs: ["pip", "pip3", "uv", "twine", "poetry", "keyring"],
      settings: { (place) throws(Failure) in
        let module = try place.installed("share/llavero-keyring", having: "llavero_keyring.py")
        let pip = place.first(
          of: [place.variable("PIP_CONFIG_FILE"), place.config("pip/pip.conf"), place.home(".pip/pip.conf")],
          else: place.config("pip/pip.conf"))
        return [
          (
            ConfigurationFile(path: place.config("python_keyring/keyringrc.cfg")),
            CombinedFormat(parts: [
              KeyedLine("default-keyring", in: "backend", separator: "=", is: "llavero_keyring.Keyring"),
              KeyedLine("keyring-path", in: "backend", separator: "=", is: module),
            ])
          ), (pip, KeyedLine("keyring-provider", in: "global", is: "subprocess")),
          (
            ConfigurationFile(path: place.variable("UV_CONFIG_FILE") ?? place.config("uv/uv.toml")),
            KeyedLine("keyring-provider", is: #""subprocess""#)
          ),
        ]
      },
      links: { (place) throws(Failure) in
        // Pip and uv call whatever has that name; Python's own leads here by the first of the files.
        guard place.isNotAnothers("keyring") else { return [] }
        return [(place.folderForPrograms, "keyring")]
      },
      next: "put a user name into the index's URL, and keep its password with 'llavero keyring set URL NAME'"),
    ToolSetup(
      name: "aws", programs: ["aws"],
      settings: { (place) throws(Failure) in
        let file = ConfigurationFile(path: place.variable("AWS_CONFIG_FILE") ?? place.home(".aws/config"))
        let section = place.profile == "default" ? "default" : "profile \(place.profile)"
        let command = "\"\(try ProgramLinks.program())\" aws --profile \"\(place.profile)\""
        return [(file, KeyedLine("credential_process", in: section, is: command))]
      },
      next: "keep the key with 'llavero add --service aws:PROFILE --account ACCESS-KEY-ID', if it isn't yet"),
    terraform("terraform", program: "terraform", file: ".terraformrc"),
    terraform("opentofu", program: "tofu", file: ".tofurc"),
    ToolSetup(
      name: "go", programs: ["go"],
      settings: { (place) throws(Failure) in
        let file = ConfigurationFile(path: place.variable("GOENV") ?? place.config("go/env"))
        let command = "\(try ProgramLinks.program()) goauth"
        return [
          (
            file,
            KeyedLine("GOAUTH", separator: "=") { (present) in
              let others = present ?? "netrc"
              if others.split(separator: ";").contains(where: { $0 == command }) { return others }
              return others == "off" ? command : "\(command);\(others)"
            }
          )
        ]
      }, next: "keep a login with 'llavero add https://HOST --account NAME', if git hasn't one there"),
    ToolSetup(
      name: "bazel", programs: ["bazel", "bazelisk"],
      settings: { (place) throws(Failure) in
        let option = "common --credential_helper="
        return [
          (
            ConfigurationFile(path: place.home(".bazelrc")),
            AppendedLines(
              lines: [option + (try place.absolute("bazel-credential-llavero"))], beginning: option,
              isOnlyOne: false)
          )
        ]
      },
      next:
        "bazel asks it for every host; to name some, write --credential_helper=HOST= there before the path"),
    ToolSetup(
      name: "ssh", programs: ["ssh"],
      settings: { (place) throws(Failure) in
        [
          (
            ConfigurationFile(path: place.config("environment.d/50-llavero.conf")),
            KeyedLine("SSH_ASKPASS", separator: "=", is: try place.absolute("llavero-askpass"))
          )
        ]
      },
      next:
        "log out of the desktop and in again; on a terminal, ssh asks there unless SSH_ASKPASS_REQUIRE=prefer"
    ),
    ToolSetup(
      name: "wget", programs: ["wget"],
      settings: { (place) throws(Failure) in
        [
          (
            ConfigurationFile(path: place.variable("WGETRC") ?? place.home(".wgetrc")),
            KeyedLine("use_askpass", is: try place.absolute("llavero-askpass"))
          )
        ]
      }, next: "keep a login with 'llavero add https://HOST --account NAME', if git hasn't one there"),
  ]

  /// Terraform, or what has come of it, which reads plugins in the same place.
  private static func terraform(_ name: String, program: String, file: String) -> ToolSetup {
    ToolSetup(
      name: name, programs: [program],
      settings: { (place) throws(Failure) in
        let path = place.variable("TF_CLI_CONFIG_FILE") ?? place.home(file)
        let block = #"credentials_helper "llavero" { args = [] }"#
        return [
          (
            ConfigurationFile(path: path),
            AppendedLines(lines: [block], beginning: "credentials_helper ", isOnlyOne: true)
          )
        ]
      },
      links: { (place) throws(Failure) in
        [(place.home(".terraform.d/plugins"), "terraform-credentials-llavero")]
      }, next: "log in once more with '\(program) login HOST'")
  }
}

/// Where a person's configurations are.
struct SetupPlace {
  private let homeFolder: String
  /// The AWS profile.
  let profile: String

  /// - Throws: ``Failure`` if HOME doesn't say.
  init(profile: String = "default") throws(Failure) {
    guard let home = VaultLocation.environmentVariable("HOME"), home.hasPrefix("/") else {
      throw Failure("HOME doesn't say where your configuration is", status: .usage)
    }
    homeFolder = home
    self.profile = profile
  }

  /// A variable that says where something is; `nil` if it isn't set or is empty.
  func variable(_ name: String) -> String? {
    VaultLocation.environmentVariable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  func home(_ path: String) -> String { "\(homeFolder)/\(path)" }

  /// Below the folder of configurations (XDG Base Directory Specification).
  func config(_ path: String) -> String {
    let folder = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    return "\(folder ?? home(".config"))/\(path)"
  }

  /// The first of several files that is there.
  func first(of paths: [String?], else other: String) -> ConfigurationFile {
    ConfigurationFile(path: paths.compactMap { $0 }.first { access($0, F_OK) == 0 } ?? paths[0] ?? other)
  }

  /// - Throws: ``Failure`` if a link to this program isn't found along the PATH.
  func needsOnPath(_ link: String) throws(Failure) {
    if isOnPath(link) { return }
    throw Failure(
      "\(link) is nowhere along your PATH",
      hint: "make it with 'llavero link FOLDER', in a folder of your PATH",
      status: .usage)
  }

  /// `short` if its link is found along the PATH, else the link's path beside this program.
  func shortOrAbsolute(_ short: String, _ link: String) throws(Failure) -> String {
    isOnPath(link) ? short : try absolute(link)
  }

  /// The path of a link to this program.
  ///
  /// - Throws: ``Failure`` if there is none along the PATH and none beside this program.
  func absolute(_ link: String) throws(Failure) -> String {
    if isOnPath(link), let path = ProgramLinks.found(link) { return path }
    let program = try ProgramLinks.program()
    let path = program.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(link)"
    if ProgramLinks.isOwn(path) { return path }
    try needsOnPath(link)
    return path
  }

  /// The path of a file that was installed along with this program.
  ///
  /// - Throws: ``Failure`` if it wasn't.
  func installed(_ folder: String, having file: String) throws(Failure) -> String {
    let path =
      try ProgramLinks.program().split(separator: "/").dropLast(2).map { "/\($0)" }.joined() + "/\(folder)"
    if access("\(path)/\(file)", R_OK) == 0 { return path }
    throw Failure(
      "\(path)/\(file) is not installed", hint: "install llavero with integration/install", status: .usage)
  }

  /// Whether no other program of that name is found along the PATH.
  func isNotAnothers(_ name: String) -> Bool {
    ProgramLinks.found(name) == nil || isOnPath(name)
  }

  /// A folder of the PATH for a person's own programs.
  var folderForPrograms: String {
    let own = home(".local/bin")
    let path = (variable("PATH") ?? "").split(separator: ":")
    if path.contains(where: { $0 == own }) { return own }
    let program = (try? ProgramLinks.program()).map {
      $0.split(separator: "/").dropLast().map { "/\($0)" }.joined()
    }
    if let program, path.contains(where: { $0 == program }), access(program, W_OK) == 0 { return program }
    return own
  }

  private func isOnPath(_ link: String) -> Bool {
    ProgramLinks.found(link).map(ProgramLinks.isOwn) ?? false
  }
}

/// An array of strings in one line of TOML.
enum TOMLArray {
  /// The array with one more string at its end, if it hasn't it.
  ///
  /// - Throws: ``ConfigurationFault`` if it is no such array.
  static func appending(_ text: String, to array: String) throws(ConfigurationFault) -> String {
    guard array.first == "[", array.last == "]" else {
      throw ConfigurationFault("it has something else there than a list in one line")
    }
    if array.contains("\"\(text)\"") || array.contains("'\(text)'") { return array }
    var inside = trimmed(Array(array.dropFirst().dropLast().utf8)[...])
    if inside.last == "," { inside.removeLast() }
    return "[" + (inside.isEmpty ? "" : inside + ", ") + "\"\(text)\"]"
  }
}
