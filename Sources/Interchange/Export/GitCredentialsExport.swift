import Bytes
import CredentialProtocols
import Keychain

extension ExportFormat {
  /// A URL with user name and password on a line, for git's helper `store` (git-credential-store(1), "STORAGE FORMAT").
  /// Git refuses decoded line breaks (CVE-2020-5260, CVE-2024-52006), and ends the URL at a NUL.
  public static let gitCredentials = ExportFormat(
    "git-credentials", "the plain-text file of git's helper 'store'"
  ) { (item, credential, fields, text) throws(Omission) in
    guard case .internetPassword(let key) = item.key, key.isForEverybody, let account = key.account,
      let host = key.hostAndPort, !key.protocol.isEmpty, key.authenticationType == nil,
      credential.authenticationScheme == nil, !credential.isExpired(at: .now)
    else { throw .otherKind }
    let isSpeakable = credential.secret.withUnsafeBytes { !$0.contains(where: endsLineOrText) }
    if !isSpeakable || account.bytes.contains(where: endsLineOrText) { throw .unspeakable }
    fields.take(all: "protocol", "server", "port", "path", "account")
    text.append(contentsOf: key.protocol)
    text.append("://")
    PercentEncoding.append(Secret(copying: account), to: &text)
    text.append(":")
    PercentEncoding.append(credential.secret, to: &text)
    text.append("@")
    text.append(contentsOf: ByteString(host + key.pathOfURL + "\n"))
  }
}

private func endsLineOrText(_ byte: UInt8) -> Bool { byte == 0x0a || byte == 0x0d || byte == 0 }
