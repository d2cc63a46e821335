import Expectations
import Interchange
import Testing

@testable import Commands

@Suite("what can be imported") struct ImportKindTests {
  @Test("each format of files has a name on the command line", arguments: FileFormat.all.map(\.name))
  func formats(name: String) throws {
    expect(try ImportKind.named(name).name, is: name)
  }
}
