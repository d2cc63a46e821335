import Bytes
import Expectations
import Keychain
import Testing

@testable import Commands

@Suite("Assignments to variables", .timeLimit(.minutes(60)))
struct VariableAssignmentTests {
  @Test("the first equals sign ends the name")
  func parts() throws {
    let assignment = try VariableAssignment("npm_config_//npm.example/:_authToken=llavero://npm=1")
    expect(assignment.name, is: "npm_config_//npm.example/:_authToken")
    expect(assignment.value, is: "llavero://npm=1")
  }

  @Test("a value with a reference anywhere names no item")
  func namesItem() throws {
    for value: ByteString in ["A=db", "A=https://git.example", "A=my llavero", "A=llaver:"] {
      expect(try VariableAssignment(value).namesItem)
    }
    for value: ByteString in ["A=llavero://db", "A=Bearer llavero+https://git.example", "A=llavero:"] {
      expect(try !VariableAssignment(value).namesItem)
    }
  }

  @Test("one without a name or a value is refused")
  func refused() {
    for text: ByteString in ["", "=", "A", "A=", "=db", "A B=db"] {
      #expect(throws: KeychainError.self) { try VariableAssignment(text) }
    }
  }
}
