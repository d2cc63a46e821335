import Bytes
import Keychain

extension FileFormat {
  /// The token of Vault's and OpenBao's command line (Vault's documentation, "Token helpers"), the file's only
  /// contents. Its server is in `VAULT_ADDR`, so it is stored under the service `vault`.
  public static let vault = FileFormat(
    "vault", "the token of HashiCorp Vault or OpenBao", usualPaths: ["~/.vault-token"],
    holdsLoginsAlone: true,
    looksLike: { shape in
      let token = shape.text.trimmedSlice
      return token.starts(with: "hvs.") && !token.contains(where: isWhiteSpace)
    }
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    let token = text.trimmedSlice
    if token.isEmpty { return found }
    guard token.allSatisfy({ 0x21...0x7e ~= $0 }) else {
      throw FormatFault("it has more than one word, and a token is one")
    }
    found.take(
      Item(service: "vault"), Secret(copying: token), at: .line(1), removing: Removal(0..<text.count))
    return found
  }
}
