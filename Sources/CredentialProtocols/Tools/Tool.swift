/// A tool that asks for credentials in a protocol of its own.
public struct Tool: Sendable {
  /// The operand that makes `llavero` speak its protocol, such as `docker`.
  public let name: String

  /// The names of links to `llavero` for the tool to call; empty if it can pass an operand.
  public let links: [String]

  /// The names of other programs that it can stand in for. Only people make such links, because they could hide the
  /// program.
  public let standsInFor: [String]

  /// How a person calls it: the first link, else `llavero NAME`.
  public var programName: String { links.first ?? "llavero \(name)" }

  /// The protocol that the tool speaks.
  public let speaks: any ToolProtocol.Type

  init(name: String, links: [String] = [], standsInFor: [String] = [], speaks: any ToolProtocol.Type) {
    self.name = name
    self.links = links
    self.standsInFor = standsInFor
    self.speaks = speaks
  }

  /// The only list of names and protocols. Git's, with more operations, is not among them.
  public static let all = [
    Tool(name: "docker", links: ["docker-credential-llavero"], speaks: DockerProtocol.self),
    Tool(name: "cargo", links: ["cargo-credential-llavero"], speaks: CargoProtocol.self),
    Tool(name: "terraform", links: ["terraform-credentials-llavero"], speaks: TerraformProtocol.self),
    Tool(name: "aws", links: [], speaks: AWSProtocol.self),
    Tool(name: "goauth", links: [], speaks: GoAuthProtocol.self),
    Tool(name: "bazel", links: ["bazel-credential-llavero"], speaks: BazelProtocol.self),
    Tool(name: "kubectl", links: [], speaks: KubectlProtocol.self),
    Tool(name: "keyring", standsInFor: ["keyring"], speaks: KeyringProtocol.self),
    Tool(name: "askpass", links: ["llavero-askpass"], speaks: AskpassProtocol.self),
    Tool(name: "ansible", links: ["llavero-vault-client"], speaks: AnsibleProtocol.self),
    Tool(name: "summon", links: ["llavero-summon"], speaks: SummonProtocol.self),
    Tool(name: "netrc", links: [], speaks: NetrcProtocol.self),
  ]

  /// The tool that calls this program by the name of a link.
  public static func called(_ link: some StringProtocol) -> Tool? {
    all.first { $0.links.contains { $0 == link } || $0.standsInFor.contains { $0 == link } }
  }

  /// The tool whose protocol `llavero NAME` speaks.
  public static func named(_ name: String) -> Tool? {
    all.first { $0.name == name }
  }
}
