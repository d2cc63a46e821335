import Bytes
import CredentialProtocols
import Keychain
import KeychainChoice
import ToolCommands

/// The variables of `--env NAME=ITEM`, where an item is named as for `llavero get`, not by a reference.
///
/// What names nothing is never shown: somebody may have written a secret there.
struct NamedVariables {
  let isExact: Bool
  let selection: KeychainSelection

  /// Whether the assignment has an item's name, and no reference.
  static func isMeant(by assignment: ByteString) -> Bool {
    guard let value = split(assignment)?.value else { return false }
    return !Secret(copying: value).withUnsafeBytes(\.containsReference)
  }

  /// The name before the equals sign and what follows it; `nil` if one of them is missing.
  static func split(_ assignment: ByteString) -> (name: ByteString, value: ByteString)? {
    let bytes = assignment.bytes
    // npm's names, for example, contain slashes and colons.
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), equals > 0, equals + 1 < bytes.count,
      bytes[..<equals].allSatisfy({ 0x21...0x7e ~= $0 })
    else { return nil }
    return (ByteString(Array(bytes[..<equals])), ByteString(Array(bytes[(equals + 1)...])))
  }

  /// The assignment with the reference of the item that is meant.
  ///
  /// - Throws: ``KeychainError`` if nothing is meant, if several items are and nobody chooses one, and any error of the
  ///   keychain.
  func resolved(_ assignment: ByteString, in open: OpenKeychain) throws(KeychainError) -> ByteString {
    guard Self.isMeant(by: assignment), let (name, value) = Self.split(assignment) else { return assignment }
    guard let text = value.text else { throw Self.nothing(for: name) }
    let named = NamedPlace(url: text)
    do throws(KeychainError) { try named.check() } catch { throw Self.nothing(for: name) }
    let meant = MeantItem(in: open, isExact: isExact, selection)
    guard let place = try meant.found(named),
      let item = try open.keychain.find(try place.query()).first(where: place.isMeant)
    else {
      try open.keychain.refusePassingOver()
      throw Self.nothing(for: name)
    }
    // A place without an account is asked for as it is: which account answers is not chosen here.
    let key = place.only == nil ? try place.key() : item.key
    guard let reference = key.asReference else {
      throw .failure(
        "no reference can name \(item.name), which --env gives for \(name)",
        hint: "\(command: "llavero", "get") prints such a secret", status: .usage)
    }
    return ByteString("\(name)=\(reference)")
  }

  private static func nothing(for name: ByteString) -> KeychainError {
    .failure(
      "the keychain has nothing by the name that --env gives for \(name)",
      hint: "see what it has with 'llavero list'; a name is a URL, a service or a label",
      status: .nothingMatched)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether any part is meant as a reference, valid or not.
  var containsReference: Bool {
    indices.contains {
      self[$0...].starts(with: "llavero:".utf8) || self[$0...].starts(with: "llavero+".utf8)
    }
  }
}
