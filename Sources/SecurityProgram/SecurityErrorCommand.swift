import Keychain
import Terminals
import SecurityCodes

/// `error`: prints the meaning of status numbers.
enum SecurityErrorCommand {
  static func run(_ words: [SecurityWord]) throws(SecurityFailure) {
    if words.isEmpty { throw .usage("needs a number") }
    var text = ""
    for word in words {
      guard let status = status(word.text) else { throw .usage("no number: \(terminalText(word.text))") }
      let digits = String(UInt32(bitPattern: status.rawValue), radix: 16, uppercase: true)
      let padding = String(repeating: "0", count: 8 - digits.count)
      text += "Error: 0x\(padding)\(digits) \(status.rawValue) \(status.message)\n"
    }
    let lines = text
    try writing { () throws(Failure) in try StandardStreams.write(raw: lines) }
  }

  /// Parses a 32-bit number with an optional sign or `0x`.
  static func status(_ text: String) -> SecurityStatus? {
    let lower = text.lowercased()
    if lower.hasPrefix("0x") {
      return UInt32(lower.dropFirst(2), radix: 16).map { SecurityStatus(rawValue: Int32(bitPattern: $0)) }
    }
    return Int32(text).map { SecurityStatus(rawValue: $0) }
  }
}
