import Bytes
import Keychain

extension ByteString {
  private static let secretEndings = [
    "password", "passwd", "passphrase", "pwd", "token", "secret", "secretkey", "secret_key", "apikey",
    "api_key", "api.key", "api-key", "privatekey", "private_key", "private.key", "private-key", "gpr.key",
  ]

  /// Whether a setting is named like a secret, possibly with a number.
  var isSecretsName: Bool {
    let name = bytes.reversed().drop(while: \.isDigit).reversed()
    let lastWord = name.reversed().prefix(while: \.isLetter).reversed()
    if ["pass", "pat"].contains(where: { ByteString(Array(lastWord)).lowercased.bytes.elementsEqual($0.utf8) }
    ) {
      return true
    }
    // A capital letter begins a word, too.
    if lastWord.suffix(4).elementsEqual("Pass".utf8) { return true }
    return Self.secretEndings.contains(where: ByteString(Array(name)).lowercased.ends)
  }
}

extension UnsafeRawBufferPointer {
  private static let tokenBeginnings = [
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "npm_", "squ_", "sqp_", "pypi-AgEI",
    "xoxb-", "xoxp-",
  ]

  /// The tokens of known services in a range.
  func knownTokens(_ range: Range<Int>) -> [Range<Int>] {
    func isOfToken(_ byte: UInt8) -> Bool {
      byte.isLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    var tokens: [Range<Int>] = []
    var rest = range
    while let start = rest.first(where: { isOfToken(self[$0]) }) {
      let end = self[start..<range.upperBound].firstIndex { !isOfToken($0) } ?? range.upperBound
      if end - start >= 20, Self.tokenBeginnings.contains(where: { self[start..<end].starts(with: $0.utf8) })
      {
        tokens.append(start..<end)
      }
      rest = end..<range.upperBound
    }
    return tokens
  }
}
