import ArgumentParser
import Keychain
import Terminals

/// What is noted about an item: attributes that are no part of its key.
struct NoteOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A name for people", valueName: "text"))
  var label: String?

  @Option(help: ArgumentHelp("A remark", valueName: "text"))
  var comment: String?

  @Option(help: ArgumentHelp("What kind of password it is, in a word", valueName: "text"))
  var description: String?

  @Option(help: ArgumentHelp("The program that made it", valueName: "text"))
  var creator: String?

  @Option(help: ArgumentHelp("A program's own sub-class", valueName: "text"))
  var type: String?

  var isEmpty: Bool {
    label == nil && comment == nil && description == nil && creator == nil && type == nil
  }

  /// Notes it. An empty text removes what was noted.
  func note(on item: inout Item) {
    func value(_ text: String) -> ByteString? { ByteString?(ByteString(text)).nonEmpty }
    if let label { item.label = value(label) }
    if let comment { item.comment = value(comment) }
    if let description { item.itemDescription = value(description) }
    if let creator { item.creator = value(creator) }
    if let type { item.type = value(type) }
  }
}

/// What is kept with the secret, as confidential as that.
struct CredentialOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "When the secret expires: a date like 2027-01-31, a time like 2027-01-31T12:00:00Z, a time from "
        + "now like 30d or 12h, or never", valueName: "when"))
  var expires: String?

  @Option(
    name: .customLong("authtype"),
    help: ArgumentHelp(
      "The secret is ready-made for this scheme of an Authorization header, such as Bearer; '' for a password",
      valueName: "scheme"))
  var scheme: String?

  func validate() throws {
    if let scheme, !scheme.utf8.allSatisfy(Self.isOfToken) {
      throw ValidationError("A scheme is a word like Bearer.")
    }
  }

  /// What the options change of a credential. What isn't given stays as it is.
  ///
  /// - Throws: ``Failure`` if the time can't be understood, or has passed.
  func change(at now: Timestamp = .now) throws(Failure) -> CredentialChange {
    var change = CredentialChange()
    if let expires { change.expiry = .some(try ExpiryText.expiry(expires, at: now)) }
    if let scheme { change.scheme = .some(ByteString?(ByteString(scheme)).nonEmpty) }
    return change
  }

  /// Whether a scheme can have the byte (RFC 9110 section 5.6.2, token).
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// What is to become of that which is kept with a secret.
struct CredentialChange {
  /// The expiry, or that there is none; `nil` leaves it.
  var expiry: Int64??
  /// The scheme, or that there is none; `nil` leaves it.
  var scheme: ByteString??

  /// Whether nothing changes.
  var isEmpty: Bool { expiry == nil && scheme == nil }

  /// Makes the change.
  func apply(to credential: inout Credential) {
    if let expiry { credential.expiry = expiry }
    if let scheme { credential.authenticationScheme = scheme }
  }
}
