import ArgumentParser
import Bytes
import Interchange
import Keychain
import ToolCommands

/// Options for data that is kept with the secret, and is as confidential.
struct CredentialOptions: ParsableArguments {
  @Option(
    "When the secret expires: a date like 2027-01-31, a time like 2027-01-31T12:00:00Z, a time from now like 30d or 12h, or never",
    value: "when")
  var expires: String?

  @Option(
    "The secret is ready-made for this scheme of an Authorization header, such as Bearer; '' for a password",
    value: "scheme", name: .customLong("authtype"))
  var scheme: String?

  @Option(
    "Read the secret for one-time codes from this descriptor: the text of the service's picture, which begins with otpauth://, or the key; an empty text removes it",
    value: "n")
  var codeFd: Int32?

  var isEmpty: Bool { expires == nil && scheme == nil && codeFd == nil }

  func validate() throws {
    if let codeFd, codeFd < 0 { throw ValidationError("--code-fd needs the number of a descriptor.") }
    if let scheme, !scheme.utf8.allSatisfy(\.isOfToken) {
      throw ValidationError("A scheme is a word like Bearer.")
    }
  }

  /// Changes to a credential, except its one-time codes: see ``readCode(into:)``.
  ///
  /// - Throws: ``KeychainError`` if the time is invalid, or has passed.
  func change(at now: Timestamp = .now) throws(KeychainError) -> CredentialChange {
    var change = CredentialChange()
    if let expires { change.expiry = .some(try ExpiryText.expiry(expires, at: now)) }
    if let scheme { change.scheme = .some(ByteString?(ByteString(scheme)).nonEmpty) }
    return change
  }

  /// Reads the secret of one-time codes, if it is given. Call this once the keychain is open: before that, the program
  /// may start anew, and lose the input.
  ///
  /// - Throws: ``KeychainError`` if it can't be read or used.
  func readCode(into change: inout CredentialChange) throws(KeychainError) {
    if let codeFd { change.code = CredentialChange.Code(try Self.code(from: codeFd)) }
  }

  /// The secret of one-time codes, as a URL; empty to remove it.
  private static func code(from descriptor: Int32) throws(KeychainError) -> Secret {
    let given = try SecretInput.secret(
      from: descriptor, limit: ItemBounds.oneTimeCode + 1, what: "secret of one-time codes")
    if given.isEmpty { return given }
    guard case .some(let url) = given.withUnsafeBytes({ OneTimeCodeURL.normal($0) }) else {
      throw .failure(
        "descriptor \(descriptor) gives no secret for one-time codes",
        hint:
          "give the text of the service's picture, which begins with otpauth://, or the key, letters and digits",
        status: .usage)
    }
    return url
  }
}
