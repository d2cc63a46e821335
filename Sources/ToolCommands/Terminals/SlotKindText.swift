package import EncryptedFile

extension SlotChanges {
  package var text: String {
    var parts: [String] = []
    var gone = removed
    for kind in added {
      if let index = gone.firstIndex(of: kind) {
        gone.remove(at: index)
        parts.append("\(kind.text) was changed")
      } else {
        parts.append("\(kind.text) was added")
      }
    }
    for kind in gone { parts.append("\(kind.text) was removed") }
    return parts.joined(separator: ", ")
  }
}

extension SlotKind {
  fileprivate var text: String {
    switch self {
    case .identityFile: "the key in a file"
    case .passphrase: "a passphrase"
    case .recovery: "a recovery code"
    case .recipient: "a recipient"
    case .command: "a program"
    case .other: "a way of a newer version"
    }
  }
}

extension SlotSummary {
  /// What a list for people says of it besides its kind.
  package func remark(_ location: VaultLocation) -> String {
    if isDamaged { return "damaged" }
    switch kind {
    case .identityFile: return "opened by \(location.identityFile)"
    case .passphrase, .recovery: return ""
    case .recipient:
      let here = identityPath.map { "on this machine opened by \($0)" }
      return [label, recipient.map(Self.shortened), here].compactMap { $0 }.joined(separator: ", ")
    case .command:
      return command.map { "on this machine opened by: \($0.joined(separator: " "))" }
        ?? "not set up on this machine"
    case .other: return "of a newer version"
    }
  }

  /// The beginning and the end of a recipient, with its comment if it has one.
  private static func shortened(_ recipient: String) -> String {
    let words = recipient.split(separator: " ", maxSplits: 2)
    guard words.count > 1 else { return cut(recipient) }
    return ([String(words[0]), cut(String(words[1]))] + words.dropFirst(2).map(String.init)).joined(
      separator: " ")
  }

  private static func cut(_ key: String) -> String {
    key.count > 24 ? "\(key.prefix(12))...\(key.suffix(8))" : key
  }
}
