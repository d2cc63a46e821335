import Expectations
import Testing

@testable import ToolCommands

@Suite("text for a terminal, by type") struct TextForTerminalTests {
  @Test("what is put in shows its invisible characters, and what stands in the program doesn't")
  func interpolation() {
    let text: TextForTerminal = "a\n\("b\n\u{1b}[2J") \(3)"
    expect(text.shown, is: "a\nb\\u{a}\\u{1b}[2J 3")
    expect(("\(text)\n" as TextForTerminal).shown, is: text.shown + "\n")
    expect((text + "\t\("\t")").shown, is: text.shown + "\t\\u{9}")
    expect(("x \(command: "rm", "a b\u{7f}")" as TextForTerminal).shown, is: "x rm $'a b\\177'")
  }
}
