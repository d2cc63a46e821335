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
