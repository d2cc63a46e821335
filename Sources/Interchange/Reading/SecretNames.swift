import Bytes
import Keychain

extension ByteString {
  private static let secretEndings = [
    "password", "passwd", "passphrase", "pwd", "token", "secret", "secretkey", "secret_key", "apikey",
    "api_key", "api.key", "api-key",
  ]

  /// Whether a setting is called as secrets are. A number may count several.
  var isSecretsName: Bool {
    let name = ByteString(Array(lowercased.bytes.reversed().drop(while: \.isDigit).reversed()))
    let lastWord = name.bytes.reversed().prefix(while: \.isLetter).reversed()
    return lastWord.elementsEqual("pass".utf8) || Self.secretEndings.contains(where: name.ends)
  }
}
