import Bytes
import Interchange

extension INIDocument {
  /// - Throws: ``ConfigurationFault`` if `configparser` would raise an error.
  init(strictly text: [UInt8]) throws(ConfigurationFault) {
    try text.requirePlain()
    self = text.lendingBytes { INIDocument($0) }
    if let fault { throw ConfigurationFault(fault) }
  }
}

extension INIDocument.Option {
  /// Its lines, joined by LF.
  func joined(in text: [UInt8]) -> [UInt8] { text.lendingBytes { self.text(in: $0) }.bytes }
}

extension TOMLDocument {
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

extension YAMLDocument {
  /// - Throws: ``ConfigurationFault`` for a text that programs read in different ways.
  init(strictly text: [UInt8]) throws(ConfigurationFault) {
    if String(validating: text, as: UTF8.self) == nil { throw ConfigurationFault("it isn't UTF-8") }
    do throws(Malformed) {
      self = try text.lendingBytes { (text) throws(Malformed) in try YAMLDocument(text) }
      if let fault { throw fault }
    } catch {
      throw ConfigurationFault(error.reason)
    }
  }
}

/// The entries of a file of git's configuration.
struct GitEntries {
  struct Entry {
    /// `credential.helper`, `credential.https://a.example.helper`: lowercase outside of quotes.
    let name: [UInt8]
    /// `nil` if there is no `=`.
    let value: [UInt8]?
  }

  let entries: [Entry]

  /// - Throws: ``ConfigurationFault`` where git reports a bad config line.
  init(_ text: [UInt8]) throws(ConfigurationFault) {
    do throws(GitConfiguration.Malformed) {
      entries = try text.lendingBytes { (text) throws(GitConfiguration.Malformed) in
        let file = try GitConfiguration(text)
        return file.entries.map { entry in
          Entry(
            name: file.name(of: entry, in: text).bytes,
            value: GitConfiguration.text(of: entry, in: text)?.bytes)
        }
      }
    } catch {
      throw ConfigurationFault("git can't read line \(error.line)")
    }
  }

  func values(of name: String) -> [[UInt8]?] {
    entries.filter { $0.name.elementsEqual(name.utf8) }.map(\.value)
  }
}

extension [UInt8] {
  /// - Throws: ``ConfigurationFault`` for a text that tools read in different ways.
  fileprivate func requirePlain() throws(ConfigurationFault) {
    if hasLoneCarriageReturn { throw ConfigurationFault("it has a line that ends with CR alone") }
    if String(validating: self, as: UTF8.self) == nil { throw ConfigurationFault("it isn't UTF-8") }
  }
}
