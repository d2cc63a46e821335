import EncryptedFile
import Glibc
import Terminals

/// What `llavero setup` does for one tool.
struct ToolSetup: Sendable {
  /// What a person types.
  let name: String
  /// The programs that show that the tool is there.
  let programs: [String]
  /// What changes in the tool's configuration.
  let settings:
    @Sendable (SetupPlace) throws(Failure) -> [(file: ConfigurationFile, formats: [any ConfigurationFormat])]
  /// Links that the tool finds llavero by, besides those along the PATH.
  var links: @Sendable (SetupPlace) throws(Failure) -> [(folder: String, name: String)] = { _ in [] }
  /// Lets the tool itself read the finished file at a path before it takes the place of the former one.
  var check: @Sendable (_ path: String, _ text: [UInt8]) throws(Failure) -> Void = { _, _ in }
  /// Whether `--host` says for which hosts, and the tool would ask for any without.
  var needsHosts = false
  /// What a person does next, to see that it works.
  let next: String

  /// Every tool that can be set up, in the order in which they are shown.
  static let all: [ToolSetup] = [
    ToolSetup(
      name: "git", programs: ["git"],
      settings: { (place) throws(Failure) in
        let file =
          place.path("GIT_CONFIG_GLOBAL").map { ConfigurationFile(path: $0) }
          ?? place.first(of: [place.home(".gitconfig"), place.config("git/config")])
        let helper = try place.shortOrAbsolute("llavero", ProgramLinks.git)
        // Git would complain, too, of a file that it can't read.
        let isReadable = (try? GitConfiguration(try file.contents() ?? [])) != nil
        let hasOthers = place.mayRunPrograms && isReadable && GitSettings.hasHelpers(beside: file.path)
        return [(file, [GitHelperLines(helper: helper, hasOthersBefore: hasOthers)])]
      },
      check: { (path, text) throws(Failure) in try GitSettings.check(text, at: path) },
      next:
        "'llavero import git-credentials' brings what git kept in plain text; else git asks once more, and never again"
    ),
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
      next: "'llavero import docker' brings what docker had kept; else log in once more with 'docker login'"),
    ToolSetup(
      name: "podman", programs: ["podman", "skopeo", "buildah"],
      settings: { (place) throws(Failure) in
        try place.needsOnPath("docker-credential-llavero")
        return [
          (
            ConfigurationFile(path: place.config("containers/registries.conf.d/50-llavero.conf")),
            [TOMLSetting("credential-helpers", is: .strings(["llavero", "containers-auth.json"]))]
          )
        ]
      },
      next: "'llavero import docker' brings what podman had kept; else log in once more with 'podman login'"),
    ToolSetup(
      name: "cargo", programs: ["cargo"],
      settings: { (place) throws(Failure) in
        let folder = place.path("CARGO_HOME") ?? place.home(".cargo")
        // Where there are both, cargo reads the one without an ending.
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
      }, next: "'llavero import cargo' brings what cargo had kept; else log in once more with 'cargo login'"),
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
        // Pip and uv call whatever has that name; Python's own leads here by the first of the files.
        guard place.isNotAnothers("keyring") else { return [] }
        return [(place.folderForPrograms, "keyring")]
      },
      next: "put a user name into the index's URL, and keep its password with 'llavero keyring set URL NAME'"),
    ToolSetup(
      name: "aws", programs: ["aws"],
      settings: { (place) throws(Failure) in
        let file = ConfigurationFile(path: place.path("AWS_CONFIG_FILE") ?? place.home(".aws/config"))
        let command = "\"\(try ProgramLinks.program())\" aws --profile \"\(place.profile)\""
        return [(file, [AWSProfile.setting("credential_process", is: command, for: place.profile)])]
      },
      next: "keep the key with 'llavero add --service aws:PROFILE --account ACCESS-KEY-ID', if it isn't yet"),
    terraform("terraform", program: "terraform", file: ".terraformrc"),
    terraform("opentofu", program: "tofu", file: ".tofurc"),
    ToolSetup(
      name: "go", programs: ["go"],
      settings: { (place) throws(Failure) in
        let file = ConfigurationFile(path: place.path("GOENV") ?? place.config("go/env"))
        let command = "\(try place.plain(ProgramLinks.program())) goauth"
        return [(file, [GoAuthList.setting(command)])]
      }, next: "keep a login with 'llavero add https://HOST --account NAME', if git hasn't one there"),
    ToolSetup(
      name: "bazel", programs: ["bazel", "bazelisk"],
      settings: { (place) throws(Failure) in
        let helper = try place.plain(place.absolute("bazel-credential-llavero"))
        return [
          (
            ConfigurationFile(path: place.home(".bazelrc")),
            [BazelHelperLines(helper: helper, hosts: place.hosts)]
          )
        ]
      }, needsHosts: true,
      next: "keep a login with 'llavero add https://HOST --account NAME', if git hasn't one there"),
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
      next:
        "log out of the desktop and in again; on a terminal, ssh asks there unless SSH_ASKPASS_REQUIRE=prefer"
    ),
    ToolSetup(
      name: "wget", programs: ["wget"],
      settings: { (place) throws(Failure) in
        [
          (
            ConfigurationFile(path: place.path("WGETRC") ?? place.home(".wgetrc")),
            [VariableLine(.wget, "use_askpass", is: try place.absolute("llavero-askpass"))]
          )
        ]
      }, next: "keep a login with 'llavero add https://HOST --account NAME', if git hasn't one there"),
  ]

  /// Terraform, or what has come of it, which reads plugins in the same place.
  private static func terraform(_ name: String, program: String, file: String) -> ToolSetup {
    ToolSetup(
      name: name, programs: [program],
      settings: { (place) throws(Failure) in
        let path = place.path("TF_CLI_CONFIG_FILE") ?? place.home(file)
        return [(ConfigurationFile(path: path), [TerraformHelperBlock(helper: "llavero")])]
      },
      links: { (place) throws(Failure) in
        [(place.home(".terraform.d/plugins"), "terraform-credentials-llavero")]
      }, next: "log in once more with '\(program) login HOST'")
  }
}
