import Expectations
import Testing

@testable import Commands

@Suite("the hint of a rehearsal") struct RehearsalHintTests {
  @Test("the command without --dry-run does what was rehearsed")
  func command() {
    expect(
      Importing.command(["/usr/bin/llavero", "import", "csv", "--dry-run", "a.csv"], []),
      is: ["llavero", "import", "csv", "a.csv"])
  }

  @Test("what is added goes before operands, and an operand behind -- stays what it is")
  func operands() {
    expect(
      Importing.command(
        ["llavero", "import", "--dry-run", "csv", "--", "--dry-run"], ["--on-conflict", "keep"]),
      is: ["llavero", "import", "--on-conflict", "keep", "csv", "--", "--dry-run"])
  }

  @Test("there is none for input that is gone by then", arguments: ["-", "/dev/fd/63", "/dev/stdin"])
  func gone(operand: String) {
    expect(Importing.command(["llavero", "import", "csv", operand, "--dry-run"], []), is: nil)
  }
}
