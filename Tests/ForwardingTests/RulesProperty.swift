import Bytes
import Properties

@testable import Forwarding

/// The properties of any bytes as a file of rules.
enum RulesProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let file: RuleFile
    do throws(RuleFile.Malformed) {
      file = try RuleFile(parsing: input)
    } catch {
      return
    }
    let again = try require("what was written can be read") { () throws(RuleFile.Malformed) in
      try lend(file.text) { (bytes) throws(RuleFile.Malformed) in try RuleFile(parsing: bytes) }
    }
    try require(again == file, "rules come back as they were")
    try require(again.text == file.text, "rules have one form")
    for rule in file.rules {
      try require(!rule.mayChange || rule.verdict != .deny, "what is denied can't be changed")
      if case .socket(let name) = rule.host {
        try require(!name.bytes.contains(UInt8(ascii: "/")), "a socket's name is no path")
      }
    }
  }
}
