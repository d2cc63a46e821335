import Bytes
import Keychain
import OneTimeCodes

/// The secrets of one-time codes in KeePass's entries, which each of its programs has kept under names of its own.
enum KeePassCodes {
  static func take(of entry: inout SourceEntry, _ login: inout LoginEntry) {
    takeURL(of: &entry, &login)
    takeSeed(of: &entry, &login)
    takeOwn("TimeOtp", "totp", of: &entry, &login)
    takeOwn("HmacOtp", "hotp", of: &entry, &login)
  }

  /// KeePassXC's `otp`, an `otpauth:` URL, or that of the plugin KeeOtp, `key=SECRET&step=30&size=6`. What is neither is
  /// a field like others.
  private static func takeURL(of entry: inout SourceEntry, _ login: inout LoginEntry) {
    let index = entry.index(of: ["otp"])
    guard case .some(let secret) = entry.peek(at: index)?.secret else { return }
    if secret.withUnsafeBytes({ !$0.starts(with: "key=".utf8) }) {
      _ = entry.take(at: index)
      return login.keepCode(secret, as: "otp")
    }
    var code = OneTimeCodeParts(secret: Secret())
    let isRead = secret.withUnsafeBytes { bytes in
      bytes.split(separator: UInt8(ascii: "&")).allSatisfy {
        takeSetting(UnsafeRawBufferPointer(rebasing: $0), &code)
      }
    }
    if !isRead || code.secret.isEmpty { return }
    _ = entry.take(at: index)
    login.keepCode(code.url, as: "otp")
  }

  /// Returns whether the setting is known.
  private static func takeSetting(_ setting: UnsafeRawBufferPointer, _ code: inout OneTimeCodeParts) -> Bool {
    guard let end = setting.firstIndex(of: UInt8(ascii: "=")) else { return false }
    let value = UnsafeRawBufferPointer(rebasing: setting[(end + 1)...])
    switch ByteString(UnsafeRawBufferPointer(rebasing: setting[..<end])).lowercased {
    case "key": code.secret = withoutEscapes(value)
    case "step": code.period = ByteString(value)
    case "size": code.digits = ByteString(value)
    case "otphashmode": code.algorithm = ByteString(value)
    case "type": code.kind = ByteString(value).lowercased
    case "counter": code.counter = ByteString(value)
    default: return false
    }
    return true
  }

  /// The padding of a secret may be written as `%3d`.
  private static func withoutEscapes(_ text: UnsafeRawBufferPointer) -> Secret {
    Secret(copying: UnsafeRawBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: "%") }))
  }

  /// What KeePassXC had before, and the plugin TrayTOTP has: `TOTP Seed`, and `TOTP Settings` as `30;6` or `30;S`.
  private static func takeSeed(of entry: inout SourceEntry, _ login: inout LoginEntry) {
    let seed = entry.secret("TOTP Seed")
    if seed.isEmpty { return takeSettings(of: &entry, &login) }
    var code = OneTimeCodeParts(secret: seed)
    let settings = entry.text("TOTP Settings").bytes.split(separator: UInt8(ascii: ";")).map {
      ByteString(Array($0))
    }
    if settings.count > 1, settings[1] == "S" {
      var steam = Secret()
      steam.append("steam://")
      steam.append(code.secret)
      return login.keepCode(steam, as: "TOTP Seed")
    }
    if let period = settings.first, period != "30" { code.period = period }
    if settings.count > 1, settings[1] != "6" { code.digits = settings[1] }
    login.keepCode(code.url, as: "TOTP Seed")
  }

  /// What KeePassXC made of entries of 1Password for a time: `TOTP Settings` alone, which is the URL.
  private static func takeSettings(of entry: inout SourceEntry, _ login: inout LoginEntry) {
    let index = entry.index(of: ["TOTP Settings"])
    guard case .some(let url) = entry.peek(at: index)?.secret,
      url.withUnsafeBytes({ $0.starts(with: "otpauth:".utf8) })
    else { return }
    _ = entry.take(at: index)
    login.keepCode(url, as: "TOTP Settings")
  }

  /// What KeePass 2 has since 2.47 (its help, "Placeholders", "One-Time Passwords"): the secret in one of four encodings.
  private static func takeOwn(
    _ prefix: ByteString, _ kind: ByteString, of entry: inout SourceEntry, _ login: inout LoginEntry
  ) {
    func name(_ end: StaticString) -> ByteString {
      ByteString(prefix.bytes + ByteString(stringLiteral: end).bytes)
    }
    var code = OneTimeCodeParts(secret: entry.secret(name("-Secret-Base32")))
    code.kind = kind
    for (end, decode) in encodings where code.secret.isEmpty {
      let index = entry.index(of: [name(end)])
      guard case .some(let secret) = entry.peek(at: index)?.secret else { continue }
      code.secret = secret.withUnsafeBytes { text in
        let bytes = decode(text)
        return bytes.withUnsafeBytes { Base32.encode($0) }
      }
      if !code.secret.isEmpty { _ = entry.take(at: index) }
    }
    if code.secret.isEmpty { return }
    code.period = entry.text(name("-Period"))
    code.digits = entry.text(name("-Length"))
    code.counter = entry.text(name("-Counter"))
    switch entry.text(name("-Algorithm")) {
    case "HMAC-SHA-256": code.algorithm = "SHA256"
    case "HMAC-SHA-512": code.algorithm = "SHA512"
    default: break
    }
    login.keepCode(code.url, as: name("-Secret"))
  }

  /// The names of secrets in other encodings, and how they are decoded: to nothing if they aren't in that encoding.
  private static let encodings: [(StaticString, @Sendable (UnsafeRawBufferPointer) -> Secret)] = [
    ("-Secret", { Secret(copying: $0) }),
    (
      "-Secret-Hex",
      { text in
        var bytes = Secret(capacity: text.count / 2)
        let digits = text.compactMap(hexadecimalValue)
        guard digits.count == text.count, digits.count % 2 == 0 else { return Secret() }
        for index in stride(from: 0, to: digits.count, by: 2) {
          bytes.append(digits[index] << 4 | digits[index + 1])
        }
        return bytes
      }
    ),
    (
      "-Secret-Base64",
      { text in
        var bytes = Secret(capacity: text.count)
        return Base64.decode(text, to: &bytes) ? bytes : Secret()
      }
    ),
  ]
}
