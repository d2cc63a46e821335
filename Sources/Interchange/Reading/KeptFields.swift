import Bytes
import Keychain

/// An entry of a source, and the login that is made of it.
struct TakenEntry: ~Copyable {
  var entry: SourceEntry
  var login = LoginEntry()

  init(_ entry: consuming SourceEntry) { self.entry = entry }

  /// Keeps a person's own field, or one without a place of its own in an item. One without a value has a name.
  ///
  /// - Parameter isHidden: whether the source hides it, or doesn't say.
  mutating func keep(_ index: Int?, as name: ByteString, isHidden: Bool) {
    guard let index else {
      if !name.isEmpty { login.fields.append((name, "")) }
      return
    }
    let name = name.nonEmpty ?? "field"
    if isHidden {
      let value = entry.secret(at: index)
      if !value.isEmpty { login.secretFields.addField(name, value) }
    } else if let value = entry.text(at: index).nonEmpty {
      login.fields.append((name, value))
    }
  }

  /// Keeps all values in a field and below it, as hidden fields.
  mutating func keepAll(at index: Int, as name: ByteString) throws(JSONReader.Malformed) {
    try entry.takeLeaves(at: index, as: name, into: &login) { $0.secretFields.addField($1, $2) }
  }
}

extension LoginEntry {
  /// Keeps the secret of one-time codes. Further ones become fields.
  mutating func keepCode(_ code: consuming Secret, as name: ByteString) {
    if code.isEmpty { return }
    if oneTimeCode.isEmpty {
      oneTimeCode = code
    } else {
      secretFields.addField(name.nonEmpty ?? "one-time code", code)
    }
  }
}

extension ByteString {
  /// The name of a field in a section, either of which may be empty.
  func ofField(in section: ByteString) -> ByteString {
    section.isEmpty ? self : isEmpty ? section : ByteString(section.bytes + Array(": ".utf8) + bytes)
  }
}

extension EntryAddress {
  /// An Android app, by the name of its package.
  static func androidApp(_ package: ByteString) -> EntryAddress {
    EntryAddress(text: ByteString(Array("androidapp://".utf8) + package.bytes), rule: .note)
  }
}
