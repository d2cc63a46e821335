import ArgumentParser
import Bytes
import Interchange
import Keychain
import ToolCommands

/// Options for an item's notes: attributes that are not part of its key.
struct NoteOptions: ParsableArguments {
  @Option("A name for people", value: "text")
  var label: String?

  @Option("A remark", value: "text")
  var comment: String?

  @Option("What kind of password it is, in a word", value: "text")
  var description: String?

  @Option("The program that made it", value: "text")
  var creator: String?

  @Option("A program's own sub-class", value: "text")
  var type: String?

  private var given: [Item.Attribute: String?] {
    [.label: label, .comment: comment, .itemDescription: description, .creator: creator, .type: type]
  }

  var isEmpty: Bool { given.values.allSatisfy { $0 == nil } }

  /// An empty text removes a note.
  func note(on item: inout Item) {
    for case (let attribute, let text?) in given { item[attribute] = ByteString?(ByteString(text)).nonEmpty }
  }
}

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

struct CredentialChange {
  /// `nil` leaves the expiry; an inner `nil` removes it.
  var expiry: Int64??
  /// `nil` leaves the scheme; an inner `nil` removes it.
  var scheme: ByteString??

  /// `nil` leaves the secret of one-time codes; an empty one removes it.
  var code: Code?

  /// A class, because confidential parts can't be shared otherwise.
  final class Code {
    let url: Secret
    init(_ url: consuming Secret) { self.url = url }
  }

  var isEmpty: Bool { expiry == nil && scheme == nil && code == nil }

  func apply(to credential: inout Credential) {
    if let expiry { credential.expiry = expiry }
    if let scheme { credential.authenticationScheme = scheme }
    if let code { credential.further.oneTimeCode = code.url.copy() }
  }
}
