import EncryptedFile
import Keychain

/// What `llavero status` says.
struct KeychainStatus {
  private let location: VaultLocation
  private let summary: VaultSummary?

  /// - Throws: ``Failure`` if the keychain is broken. A locked one has a status.
  init(of keychain: EncryptedFileKeychain) throws(Failure) {
    location = keychain.location
    summary = try explaining { () throws(KeychainError) in try keychain.summary() }
  }

  /// For people.
  func text() -> String {
    guard let summary else {
      return "keychain    file \(terminalText(location.vaultFile))\n"
        + "items       none yet; the first login that is stored makes the keychain\n"
    }
    var rows = [
      ["keychain", "file \(location.vaultFile)"],
      ["protection", protection(summary)],
    ]
    if let contents = summary.contents {
      rows.append(["items", "\(contents.count)"])
      rows.append(["changed", "\(contents.written) (write \(contents.generation))"])
    } else {
      rows.append(["items", "unknown, for the keychain is locked"])
    }
    rows.append(["size", "\(summary.size) bytes"])
    return columns(rows.map { $0.map(terminalText) })
  }

  /// For programs.
  func json() -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("keychain", "file" as ByteString)
    json.member("path", ByteString(location.vaultFile))
    json.member("exists", summary != nil)
    if let summary {
      json.member("uuid", ByteString(summary.uuid))
      json.member(
        "protection", (summary.hasPassphrase ? "passphrase" : "identity-file") as ByteString)
      if !summary.hasPassphrase { json.member("identity", ByteString(location.identityFile)) }
      json.member("locked", summary.contents == nil)
      json.member("items", summary.contents?.count)
      json.member("generation", summary.contents?.generation)
      json.member("changed", summary.contents?.written)
      json.member("size", summary.size)
    }
    json.endObject()
    var text = json.finish()
    text.append("\n")
    return text
  }

  private func protection(_ summary: VaultSummary) -> String {
    if summary.hasPassphrase { return "a passphrase, asked for at every use" }
    return "a key in \(location.identityFile): safe where copied alone, not from who reads your home"
  }
}
