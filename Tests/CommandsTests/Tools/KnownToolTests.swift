import CredentialProtocols
import Expectations
import Keychain
import Testing

@testable import Commands

@Suite("what is known of each tool") struct KnownToolTests {
  @Test("each has a name of its own, and each protocol that llavero speaks is some tool's")
  func complete() {
    expect(Set(KnownTool.all.map(\.name)).count, is: KnownTool.all.count)
    expect(Set(KnownTool.all.compactMap(\.speaks)), is: Set(Tool.all.map(\.name) + ["git-credential"]))
  }

  @Test("what a tool kept before is of a kind that can be imported", arguments: KnownTool.all.map(\.name))
  func imports(name: String) throws {
    let tool = try #require(KnownTool.all.first { $0.name == name })
    for kind in tool.imports { _ = try ImportKind.named(kind) }
    // The text after setup mentions it.
    let next = try tool.setup?.next(SetupPlace()).description ?? ""
    if let kind = tool.imports.first, next.contains("llavero import") {
      expect(next.contains("'llavero import \(kind)'"))
    }
  }

  @Test("the text after the setup of a profile names it")
  func profile() throws {
    let next = try #require(KnownTool.aws.setup).next(SetupPlace(part: "my work"))
    expect(
      next, is: "store the key with 'llavero add --service \"aws:my work\" --account ACCESS-KEY-ID'")
  }

  @Test("it is set up by its own name, or by that of its protocol or of one of its programs")
  func names() {
    for tool in KnownTool.all {
      guard let setup = tool.setup else { continue }
      expect(ToolSetup.named(tool.name)?.name, is: setup.name)
    }
    expect(ToolSetup.named("goauth")?.name, is: "go")
    expect(ToolSetup.named("keyring")?.name, is: "python")
    expect(ToolSetup.named("docker")?.name, is: "docker")
    for name in ["pip", "pip3", "uv", "twine", "poetry"] { expect(ToolSetup.named(name)?.name, is: "python") }
    for name in ["skopeo", "buildah"] { expect(ToolSetup.named(name)?.name, is: "podman") }
    expect(ToolSetup.named("tofu")?.name, is: "opentofu")
    expect(ToolSetup.named("kubectl")?.name, is: "kubectl")
    for name in ["ansible-vault", "sudo"] { expect(ToolSetup.named(name)?.name, is: nil) }
  }

  @Test(
    "it stands in the documentation's table, with its set-up and its page",
    arguments: KnownTool.all.map(\.name))
  func documented(name: String) throws {
    let tool = try #require(KnownTool.all.first { $0.name == name })
    let rows = try packageText("docs/tools.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
    let row = try #require(
      rows.first { row in
        let cells = row.split(separator: "|")
        return tool.setup == nil ? cells[0].contains(name) : cells[1].contains("`\(name)")
      })
    expect(row.contains(tool.page) || name == "git")
    let page = tool.page.dropLast(3)
    try expect(packageText("man/\(page).1").contains(".Dt \(page.uppercased()) 1"))
  }
}
