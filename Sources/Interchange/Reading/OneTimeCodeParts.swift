import Bytes
import Keychain

/// The secret of one-time codes with its settings, from sources that don't keep the whole `otpauth:` URL.
struct OneTimeCodeParts: ~Copyable {
  /// In base32.
  var secret: Secret
  /// `totp` or `hotp`.
  var kind: ByteString = "totp"
  var issuer: ByteString = ""
  var account: ByteString = ""
  /// `SHA1`, `SHA256` or `SHA512`; empty if the source doesn't say.
  var algorithm: ByteString = ""
  var digits: ByteString = ""
  var period: ByteString = ""
  var counter: ByteString = ""

  init(secret: consuming Secret) { self.secret = secret }

  /// The `otpauth:` URL (github.com/google/google-authenticator, "Key URI Format"), or just the secret if nothing else
  /// is known; empty if there is no secret.
  var url: Secret {
    if secret.isEmpty { return Secret() }
    let settings: [(StaticString, ByteString)] = [
      ("issuer", issuer), ("algorithm", algorithm.uppercased), ("digits", digits), ("period", period),
      ("counter", counter),
    ]
    if kind == "totp", account.isEmpty, settings.allSatisfy(\.1.isEmpty) { return secret.copy() }
    var url = Secret(capacity: 64 + secret.count)
    url.append("otpauth://")
    url.append(contentsOf: kind)
    url.append("/")
    PercentEncoding.append(Secret(copying: account), to: &url)
    url.append("?secret=")
    secret.withUnsafeBytes { bytes in
      for byte in bytes where byte != 0x20 && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "=") {
        url.append(byte)
      }
    }
    for (name, value) in settings where !value.isEmpty {
      url.append("&")
      url.append(name)
      url.append("=")
      PercentEncoding.append(Secret(copying: value), to: &url)
    }
    return url
  }
}

extension ByteString {
  fileprivate var uppercased: ByteString { ByteString(bytes.map { 0x61...0x7a ~= $0 ? $0 & 0xdf : $0 }) }
}
