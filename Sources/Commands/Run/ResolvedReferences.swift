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
  /// - Throws: ``KeychainError`` that names all missing ones. A token that was not renewed is there, and isn't among them.
  init(_ references: [PlacedReference], in open: OpenKeychain) throws(KeychainError) {
    var missing: [PlacedReference] = []
    var notRenewed: [PlacedReference] = []
    try open.keychain.reading { () throws(KeychainError) in
      for placed in references where ranges[placed.reference] == nil {
        let (query, field) = (placed.reference.query, placed.reference.field)
        let failures = open.failedRenewals
        if let answer = try Self.answer(query, field, in: open),
          let value = field.value(of: answer, code: { $0.codeOfThisMoment() })
        {
          ranges[placed.reference] = text.count..<(text.count + value.count)
          text.append(value)
        } else if open.failedRenewals > failures {
          notRenewed.append(placed)
        } else {
          missing.append(placed)
        }
      }
    }
    if missing.isEmpty {
      if notRenewed.isEmpty { return }
      open.endIfRenewalExplained()
      // Another process has just said why.
      throw .failure("there is no new token for \(Self.names(of: notRenewed)) now", status: .keychain)
    }
    let areSecrets = missing.allSatisfy { $0.reference.field == .secret }
    throw .failure(
      "the keychain has \(areSecrets ? "no secret" : "nothing") for \(Self.names(of: missing))",
      hint: Self.hint(for: missing, in: open), status: .nothingMatched)
  }

  private static func names(of references: [PlacedReference]) -> String {
    references.map { "\($0.place) (\($0.text))" }.joined(separator: ", ")
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

  /// What to do about missing secrets. People write a server where a service belongs, or a part of its name.
  private static func hint(for missing: [PlacedReference], in open: OpenKeychain) -> Hint {
    for placed in missing {
      guard case .genericPassword(let query) = placed.reference.query,
        query.service.bytes.contains(UInt8(ascii: ".")), HostAndPort(parsing: query.service) != nil
      else { continue }
      let reference = "llavero+https://\(query.service)"
      return "the login for that server would be \(words: reference); \(.seeList)"
    }
    let whole = missing.lazy.compactMap { placed in wholeName(placed.reference.query, in: open) }.first
    if let whole { return "a reference needs the whole name: \(words: whole)" }
    return .seeList
  }

  /// The reference for the only generic password whose name has the service of a query as its part.
  private static func wholeName(_ query: ItemQuery, in open: OpenKeychain) -> String? {
    // All that others have is too much to ask for.
    guard case .genericPassword(let asked) = query, !open.choice.kind.isOfOtherMachine,
      !open.choice.kind.isOnServer, SharedSources(of: open.keychain).isEmpty
    else { return nil }
    var criteria = ItemCriteria()
    criteria.itemClass = .genericPassword
    criteria.omitsLocked = true
    let items = (try? open.keychain.items(matching: .criteria(criteria))) ?? []
    // It is there, and has no such account or field.
    if items.contains(where: { $0[.service] == asked.service }) { return nil }
    let found = items.filter { item in
      item.isCalled(byPart: "\(asked.service)") && (asked.account == nil || item.key.account == asked.account)
    }
    return found.count == 1 ? found.first?.key.asReference : nil
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
