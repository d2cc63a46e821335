import Bytes
import CredentialProtocols
import Keychain
import KeychainChoice
import ToolCommands

/// A reference as written, and its place: a variable's name or a line.
struct PlacedReference {
  let place: String
  let text: ByteString
  let reference: SecretReference
}

/// The values of references. Each is looked up once.
struct ResolvedReferences: ~Copyable {
  private var text = Secret()
  private var ranges: [SecretReference: Range<Int>] = [:]

  init() {}

  /// Looks all of them up in one keychain.
  ///
  /// - Throws: ``KeychainError`` that names all missing ones.
  init(_ references: [PlacedReference], in open: OpenKeychain) throws(KeychainError) {
    var missing: [PlacedReference] = []
    try open.keychain.reading { () throws(KeychainError) in
      for placed in references where ranges[placed.reference] == nil {
        let (query, field) = (placed.reference.query, placed.reference.field)
        if let answer = try Self.answer(query, field, in: open),
          let value = field.value(of: answer, code: { $0.codeOfThisMoment() })
        {
          ranges[placed.reference] = text.count..<(text.count + value.count)
          text.append(value)
        } else {
          missing.append(placed)
        }
      }
    }
    if missing.isEmpty { return }
    let areSecrets = missing.allSatisfy { $0.reference.field == .secret }
    let names = missing.map { "\($0.place) (\($0.text))" }.joined(separator: ", ")
    throw .failure(
      "the keychain has \(areSecrets ? "no secret" : "nothing") for \(names)", hint: Self.hint(for: missing),
      status: .nothingMatched)
  }

  private static func answer(
    _ query: ItemQuery, _ field: ReferencedField, in open: OpenKeychain
  ) throws(KeychainError) -> Answer? {
    if let answer = try open.answer(to: query) { return answer }
    return field == .secret || field == .basic ? nil : try open.withoutPassword(query)
  }

  func withValue<Result>(
    of reference: SecretReference, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[ranges[reference] ?? 0..<0])) }
  }

  func forEachSecret(_ body: (UnsafeRawBufferPointer) -> Void) {
    for reference in ranges.keys where reference.field.isSecret { withValue(of: reference, body) }
  }

  func filled(_ source: UnsafeRawBufferPointer, _ parts: [ReferencesInText.Part]) -> Secret {
    var result = Secret(capacity: source.count)
    for part in parts {
      switch part {
      case .text(let range): result.append(UnsafeRawBufferPointer(rebasing: source[range]))
      case .reference(let reference, _): withValue(of: reference) { result.append($0) }
      }
    }
    return result
  }

  /// What to do about missing secrets. People write a server where a service belongs.
  private static func hint(for missing: [PlacedReference]) -> Hint {
    for placed in missing {
      guard case .genericPassword(let query) = placed.reference.query,
        query.service.bytes.contains(UInt8(ascii: ".")), HostAndPort(parsing: query.service) != nil
      else { continue }
      let reference = "llavero+https://\(query.service)"
      return "the login for that server would be \(words: reference); see what there is with 'llavero list'"
    }
    return "see what it has with 'llavero list'"
  }
}

extension ReferencesInText {
  func references(in place: String) -> [PlacedReference] {
    parts.compactMap { part in
      guard case .reference(let reference, let text) = part else { return nil }
      return PlacedReference(place: place, text: text, reference: reference)
    }
  }
}
