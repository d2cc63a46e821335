import Expectations
import Keychain
import Testing

@testable import CredentialProtocols

@Suite("A command line, word by word")
struct ArgumentReaderTests {
  private func reader(_ arguments: String...) -> ArgumentReader {
    ArgumentReader(arguments.map { ByteString($0) })
  }

  @Test("a value is what follows the equals sign, or else the next word, whatever it is")
  func values() throws {
    var reader = reader("--a=1=2", "--b", "--c", "--d=", "-e", "-")
    expect(reader.next(), is: .option("--a"))
    try expect(reader.value(), is: "1=2")
    expect(reader.next(), is: .option("--b"))
    try expect(reader.value(), is: "--c")
    expect(reader.next(), is: .option("--d"))
    try expect(reader.value(), is: "")
    expect(reader.next(), is: .option("-e"))
    expect(reader.next(), is: .operand("-"))
    expect(reader.next(), is: nil)
  }

  @Test("an option at the end has no value, and neither has one before it")
  func missing() {
    var reader = reader("--a=1", "--b")
    expect(reader.next(), is: .option("--a"))
    expect(reader.next(), is: .option("--b"))
    #expect(throws: KeychainError.misused("--b needs a value")) { try reader.value() }
  }

  @Test("several values end at the next option, and a single hyphen is none of them")
  func several() {
    var reader = reader("--hosts", "a", "b", "-x", "--hosts=c", "d", "--", "e")
    expect(reader.next(), is: .option("--hosts"))
    expect(reader.values(), is: ["a", "b"])
    expect(reader.next(), is: .option("-x"))
    expect(reader.values(), is: [])
    expect(reader.next(), is: .option("--hosts"))
    expect(reader.values(), is: ["c", "d"])
    expect(reader.next(), is: .end)
    expect(reader.rest, is: ["e"])
  }

  @Test("bytes that are not UTF-8 stay what they are in operands and values")
  func bytes() throws {
    let odd = ByteString([0x2D, 0x2D, 0x61, 0x3D, 0xFF, 0xFE])
    var reader = ArgumentReader([odd, ByteString([0xC3])])
    expect(reader.next(), is: .option("--a"))
    try expect(reader.value(), is: ByteString([0xFF, 0xFE]))
    expect(reader.next(), is: .operand(ByteString([0xC3])))
  }
}
