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
  let open: OpenKeychain

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

  /// The secret of the item that is meant, and of no other one.
  ///
  /// - Parameters:
  ///   - name: the variable.
  ///   - value: what the item is called.
  /// - Throws: ``KeychainError`` if nothing is meant, if several items are and nobody chooses one, if it has no secret
  ///   now, and any error of the keychain.
  func secret(for name: ByteString, _ value: ByteString) throws(KeychainError) -> Secret {
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
    guard let answer = try open.answer(to: place) else {
      throw .failure(
        "there is no secret for \(item.name), which --env gives for \(name)",
        hint: "\(command: "llavero", "get") says why", status: .nothingMatched)
    }
    return answer.credential.secret.copy()
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
