import Bytes
import TextFormats

extension INIDocument {
  /// Reads a text that `configparser` takes.
  ///
  /// - Throws: ``ConfigurationFault`` where it raises an error.
  init(strictly text: [UInt8]) throws(ConfigurationFault) {
    try text.requirePlain()
    self = text.lendingBytes { INIDocument($0) }
    if let fault { throw ConfigurationFault(fault) }
  }
}

extension INIDocument.Option {
  /// The value: its lines joined by LF.
  func joined(in text: [UInt8]) -> [UInt8] { text.lendingBytes { self.text(in: $0) }.bytes }
}

extension TOMLDocument {
  /// Reads a text that is TOML.
  ///
  /// - Throws: ``ConfigurationFault`` for anything that TOML forbids.
  init(strictly text: [UInt8]) throws(ConfigurationFault) {
    try text.requirePlain()
    self = text.lendingBytes { TOMLDocument($0) }
    if let fault { throw ConfigurationFault(fault) }
  }

  /// The contents of a string on one line; `nil` for anything else.
  static func string(_ text: [UInt8], _ range: Range<Int>) -> String? {
    text.lendingBytes { self.text(range, in: $0)?.description }
  }
}

extension [UInt8] {
  /// - Throws: ``ConfigurationFault`` for a text that tools read in different ways.
  fileprivate func requirePlain() throws(ConfigurationFault) {
    if hasLoneCarriageReturn { throw ConfigurationFault("it has a line that ends with CR alone") }
    if String(validating: self, as: UTF8.self) == nil { throw ConfigurationFault("it isn't UTF-8") }
  }
}
