import Expectations
import Testing

@testable import ToolCommands

@Suite("the version") struct VersionTests {
  @Test("it has the commit and its date, where the build knows them")
  func commit() {
    expect(Program.version(of: "487e5a5b 2026-11-30"), is: Program.version + " (487e5a5b 2026-11-30)")
    expect(Program.version(of: nil), is: Program.version)
  }

  @Test("what is printed is a line with the program's name, and the tests' own program knows no commit")
  func line() {
    expect(Program.versionLine, is: "llavero \(Program.version)\n")
  }
}
