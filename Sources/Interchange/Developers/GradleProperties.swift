import Bytes
import Keychain

extension FileFormat {
  /// The secrets in a person's properties of Gradle (its user manual, "Handling credentials"): `NAMEUsername` and
  /// `NAMEPassword`, and other properties named like a password, token, secret or API key. Each is stored under the
  /// service `gradle:PROPERTY`, because only the build says which server it is for.
  public static let gradle = FileFormat(
    "gradle", "the passwords and tokens in gradle.properties",
    usualPaths: ["$GRADLE_USER_HOME/gradle.properties", "~/.gradle/gradle.properties"],
    holdsLoginsAlone: false,
    looksLike: { $0.hasLine(beginningWith: "org.gradle.") }
  ) { text throws(FormatFault) in
    let file = SettingLines(text, comments: "#!", separators: "=: \t", hasSections: false, keepsEnds: true)
    var found = FoundLogins()
    for setting in file.settings where setting.name.isGradleSecret {
      let origin = Origin.line(setting.line)
      let value = file.value(of: setting, in: text)
      // Java's escapes, continued lines, and a carriage return as line ending.
      if text[value].contains(where: { $0 == UInt8(ascii: "\\") || $0 == 0x0d }) {
        found.passOver(origin, .malformed)
      } else {
        let names = setting.name.userProperties
        let user = file.settings.last { names.contains($0.name) }
        let account = user.map { ByteString(text.slice(file.value(of: $0, in: text))) }
        found.take(
          Item(service: "gradle:\(setting.name)", account: account), Secret(copying: text.slice(value)),
          at: origin, removing: Removal(setting.range))
      }
    }
    return found
  }
}

extension SettingLines {
  /// A value without the equals sign that may follow the blank after its name.
  fileprivate func value(of setting: SettingLine, in text: UnsafeRawBufferPointer) -> Range<Int> {
    func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":") }
    let start = setting.value.lowerBound
    guard isSign(text[setting.value].first), isWhiteSpace(text[start - 1]),
      !isSign(text[..<start].last { !isWhiteSpace($0) })
    else { return setting.value }
    return text.trimmed(start + 1..<setting.value.upperBound, atEnd: false)
  }
}

extension ByteString {
  /// Whether a property is named like a secret, or like the key for signing publications.
  fileprivate var isGradleSecret: Bool {
    isSecretsName || ["signingkey", "signing.key", "signinginmemorykey"].contains(lowercased)
  }

  /// The properties that may have the user name for a password: `corpUsername` and `corpUser` for `corpPassword`.
  fileprivate var userProperties: [ByteString] {
    let ending = "Password"
    guard ends(with: ending) else { return [] }
    let stem = bytes.dropLast(ending.utf8.count)
    return [ByteString(stem + Array("Username".utf8)), ByteString(stem + Array("User".utf8))]
  }
}
