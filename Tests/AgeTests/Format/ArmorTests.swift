import Age
import Expectations
import Properties
import Testing

@Suite struct ArmorTests {
  static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
  static let end = "-----END AGE ENCRYPTED FILE-----"

  @Test(
    "what is armored decodes to itself, in the size foretold",
    arguments: [0, 1, 2, 3, 47, 48, 49, 95, 96, 97, 65536])
  func roundTrip(_ count: Int) throws {
    try lend(encodeArmor(sample(count)), ArmorProperty.check)
    try lend(sample(count), ArmorProperty.check)
  }

  @Test(
    "line ends of both kinds and white space outside are accepted",
    arguments: [
      "\(begin)\r\nZm9v\r\n\(end)\r\n", "\(begin)\nZm9v\n\(end)", " \n\t\r\n\n\(begin)\nZm9v\n\(end)\n \n\t",
    ])
  func accepted(_ text: String) throws {
    try expect(decodeArmor(ascii(text)), is: ascii("foo"))
  }

  static let refusedForms: [(String, ArmorFault)] = [
    ("", .beginLine),
    (" \(begin)\nZm9v\n\(end)\n", .beginLine),
    ("\(begin) \nZm9v\n\(end)\n", .beginLine),
    ("\(begin)\nZm9v\n", .endLine),
    ("\(begin)\nZm9v\n\(end) \n", .endLine),
    ("\(begin)\nZm9v\n\(begin)\n", .endLine),
    ("\(begin)\n\nZm9v\n\(end)\n", .lineLength),
    ("\(begin)\nZm9v\nZm9v\n\(end)\n", .lineLength),
    ("\(begin)\nZm9v\n\n\(end)\n", .lineLength),
    ("\(begin)\nZg==\nZm9v\n\(end)\n", .lineLength),
    ("\(begin)\n" + String(repeating: "A", count: 68) + "\n\(end)\n", .lineLength),
    ("\(begin)\nZg\n\(end)\n", .base64),
    ("\(begin)\nZh==\n\(end)\n", .base64),
    ("\(begin)\nZ===\n\(end)\n", .base64),
    ("\(begin)\nZm9v====\n\(end)\n", .base64),
    ("\(begin)\nZm9v\rZg==\n\(end)\n", .base64),
    ("\(begin)\nZm9v\n\(end)\nx", .trailingData),
    ("\(begin)\nZm9v\n\(end)\n\(begin)\n", .trailingData),
    ("\(begin)\nZm9v\n\(end)\n" + String(repeating: " ", count: 1025), .tooMuchWhitespace),
    (String(repeating: "\n", count: 1025) + "\(begin)\nZm9v\n\(end)\n", .tooMuchWhitespace),
  ]

  @Test("any other form is refused", arguments: refusedForms)
  func refused(_ text: String, _ fault: ArmorFault) {
    #expect(throws: AgeError.armor(fault)) { try decodeArmor(ascii(text)) }
  }

  @Test("the form of a file is told from its beginning")
  func detection() {
    func detect(_ text: String) -> FileEncoding? { ascii(text).withUnsafeBytes { FileEncoding.detect($0) } }
    expect(detect("age-encryption.org/v1\n"), is: .binary)
    expect(detect("\n \(Self.begin)\n"), is: .armored)
    expect(detect("age-encryption"), is: nil)
    expect(detect(""), is: nil)
    expect(detect("# comment\n\(Self.begin)\n"), is: nil)
  }
}
