import Bytes
import Keychain

enum KeePassCodes {
  /// Whether a field's name is that of a code's secret, even if it can't be read.
  static func isSecret(_ name: ByteString) -> Bool {
    ["otp", "TOTP Seed"].contains(name)
      || ["TimeOtp-Secret", "HmacOtp-Secret"].contains { name.bytes.starts(with: $0.utf8) }
  }
}

extension TakenEntry {
  /// Takes the secrets of one-time codes, for which each of KeePass's programs has its own names.
  mutating func takeKeePassCodes() {
    takeURL()
    takeSeed()
    takeOwn("TimeOtp", "totp")
    takeOwn("HmacOtp", "hotp")
  }

  /// KeePassXC's `otp`, an `otpauth:` URL, or the plugin KeeOtp's, `key=SECRET&step=30&size=6`. Anything else is an
  /// ordinary field.
  fileprivate mutating func takeURL() {
    let index = entry.index(of: ["otp"])
    guard case .some(let secret) = entry.peek(at: index)?.secret else { return }
    if secret.withUnsafeBytes({ !$0.starts(with: "key=".utf8) }) {
      _ = entry.take(at: index)
      return login.keepCode(secret, as: "otp")
    }
    var code = OneTimeCodeParts(secret: Secret())
    let isRead = secret.withUnsafeBytes { bytes in
      bytes.split(separator: UInt8(ascii: "&")).allSatisfy {
        Self.takeSetting($0.whole, &code)
      }
    }
    if !isRead || code.secret.isEmpty { return }
    _ = entry.take(at: index)
    login.keepCode(code.url, as: "otp")
  }

  /// Returns whether the setting is known.
  private static func takeSetting(_ setting: UnsafeRawBufferPointer, _ code: inout OneTimeCodeParts) -> Bool {
    guard let end = setting.firstIndex(of: UInt8(ascii: "=")) else { return false }
    let value = setting.slice((end + 1)...)
    switch ByteString(setting.slice(..<end)).lowercased {
    case "key":
      guard case .some(let secret) = Self.withoutPadding(value) else { return false }
      code.secret = secret
    case "step": code.period = ByteString(value)
    case "size": code.digits = ByteString(value)
    case "otphashmode": code.algorithm = ByteString(value)
    case "type": code.kind = ByteString(value).lowercased
    case "counter": code.counter = ByteString(value)
    default: return false
    }
    return true
  }

  /// A secret without its padding, which may be written as `%3d`; `nil` if it has other escapes.
  private static func withoutPadding(_ text: UnsafeRawBufferPointer) -> Secret? {
    let end = text.firstIndex(of: UInt8(ascii: "%")) ?? text.endIndex
    let padding = Array("%3d".utf8)
    guard text[end...].enumerated().allSatisfy({ padding[$0 % 3] == $1 | 0x20 }) else { return nil }
    return Secret(copying: text.slice(..<end))
  }

  /// The former form of KeePassXC, and of the plugin TrayTOTP: `TOTP Seed`, and `TOTP Settings` as `30;6` or `30;S`.
  fileprivate mutating func takeSeed() {
    let seed = entry.secret("TOTP Seed")
    if seed.isEmpty { return takeSettings() }
    var code = OneTimeCodeParts(secret: seed)
    let index = entry.index(of: ["TOTP Settings"])
    let text = entry.peek(at: index)?.text ?? ""
    let settings = text.bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
      ByteString(Array($0))
    }
    let (period, digits) = (settings.first ?? "", settings.dropFirst().first ?? "")
    let isSteam = digits == "S"
    // Anything after them, such as TrayTOTP's time server, is an ordinary field.
    if settings.dropFirst(2).allSatisfy(\.isEmpty), !isSteam || ["", "30"].contains(period) {
      _ = entry.take(at: index)
    }
    if isSteam {
      var steam = Secret()
      steam.append("steam://")
      steam.append(code.secret)
      return login.keepCode(steam, as: "TOTP Seed")
    }
    if period != "30" { code.period = period }
    if digits != "6" { code.digits = digits }
    login.keepCode(code.url, as: "TOTP Seed")
  }

  /// A form that KeePassXC made from entries of 1Password for a time: only `TOTP Settings`, which is the URL.
  fileprivate mutating func takeSettings() {
    let index = entry.index(of: ["TOTP Settings"])
    guard case .some(let url) = entry.peek(at: index)?.secret,
      url.withUnsafeBytes({ $0.starts(with: "otpauth:".utf8) })
    else { return }
    _ = entry.take(at: index)
    login.keepCode(url, as: "TOTP Settings")
  }

  /// KeePass 2's own form since 2.47 (its help, "Placeholders", "One-Time Passwords"): the secret in one of four
  /// encodings.
  fileprivate mutating func takeOwn(_ prefix: ByteString, _ kind: ByteString) {
    func name(_ end: StaticString) -> ByteString {
      ByteString(prefix.bytes + ByteString(stringLiteral: end).bytes)
    }
    var code = OneTimeCodeParts(secret: entry.secret(name("-Secret-Base32")))
    code.kind = kind
    for (end, decode) in Self.encodings where code.secret.isEmpty {
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
    let algorithm = entry.text(name("-Algorithm"))
    // Other algorithms give no codes.
    switch algorithm {
    case "HMAC-SHA-1": break
    case "HMAC-SHA-256": code.algorithm = "SHA256"
    case "HMAC-SHA-512": code.algorithm = "SHA512"
    default: code.algorithm = algorithm
    }
    login.keepCode(code.url, as: name("-Secret"))
  }

  /// The names of secrets in other encodings, and their decoders, which return nothing for an invalid one.
  private static let encodings: [(StaticString, @Sendable (UnsafeRawBufferPointer) -> Secret)] = [
    ("-Secret", { Secret(copying: $0) }),
    ("-Secret-Hex", { Secret(hexadecimal: $0) ?? Secret() }),
    ("-Secret-Base64", { Secret(base64: $0) ?? Secret() }),
  ]
}
