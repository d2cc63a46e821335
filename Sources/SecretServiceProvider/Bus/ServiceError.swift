import Keychain
import SecretService

/// Why a call is refused, as an error of the Secret Service or D-Bus.
enum ServiceError: Error {
  case isLocked
  case noSession
  case noSuchObject
  case unknownObject
  case unknownInterface
  case unknownMethod
  case unknownProperty
  case readOnlyProperty
  case notSupported(String)
  case invalidArguments(String)
  case accessDenied(String)
  case alreadyExists(String)
  case limitsExceeded(String)
  case failed(String)
  case wrongPassphrase
  /// The machine that holds the keychain refuses this, has it locked, can't be reached or doesn't answer.
  case refusedElsewhere(String)
  case lockedElsewhere(String)
  case unreachable(String)
  case timedOut(String)

  static var tooManyAttributes: ServiceError {
    .invalidArguments("an item without its secret has at most \(ItemBounds.attributes) bytes")
  }
  static var tooLargeSecret: ServiceError {
    .invalidArguments("a secret has at most \(ItemBounds.secret) bytes")
  }

  var name: String {
    let bus = "org.freedesktop.DBus.Error."
    let service = "org.freedesktop.Secret.Error."
    return switch self {
    case .isLocked, .lockedElsewhere: service + "IsLocked"
    case .noSession: service + "NoSession"
    case .noSuchObject: service + "NoSuchObject"
    case .unknownObject: bus + "UnknownMethod"
    case .unknownInterface: bus + "UnknownInterface"
    case .unknownMethod: bus + "UnknownMethod"
    case .unknownProperty: bus + "UnknownProperty"
    case .readOnlyProperty: bus + "PropertyReadOnly"
    case .notSupported: bus + "NotSupported"
    case .invalidArguments: bus + "InvalidArgs"
    case .accessDenied, .refusedElsewhere: bus + "AccessDenied"
    case .alreadyExists: service + "AlreadyExists"
    case .limitsExceeded: bus + "LimitsExceeded"
    case .failed: bus + "Failed"
    case .unreachable: bus + "NoServer"
    case .timedOut: bus + "TimedOut"
    case .wrongPassphrase: "org.gnome.keyring.Error.Denied"
    }
  }

  /// The text for people: without secrets, and without anything that the caller sent.
  var text: String {
    switch self {
    case .isLocked: "the collection is locked"
    case .noSession: "there is no such session of this caller"
    case .noSuchObject: "there is no such object"
    case .unknownObject: "there is no object at this path"
    case .unknownInterface: "the object has no such interface"
    case .unknownMethod: "there is no such method"
    case .unknownProperty: "there is no such property"
    case .readOnlyProperty: "the property can't be set"
    case .notSupported(let text), .invalidArguments(let text), .accessDenied(let text),
      .alreadyExists(let text), .limitsExceeded(let text), .failed(let text), .refusedElsewhere(let text),
      .lockedElsewhere(let text), .unreachable(let text), .timedOut(let text):
      text
    case .wrongPassphrase: "the password is wrong"
    }
  }

  /// Why the keychain could not do this.
  ///
  /// - Parameter explain: describes an error for people, in one line.
  init(_ error: KeychainError, explain: (KeychainError) -> String) {
    switch error {
    case .locked, .wrongPassphrase, .promptDismissed: self = .isLocked
    case .itemNotFound: self = .noSuchObject
    case .tooLarge, .unusableAttribute: self = .invalidArguments(explain(error))
    case .duplicateItem: self = .alreadyExists(explain(error))
    case .fault(let fault): self.init(fault.kind, explain(error))
    default: self = .failed(explain(error))
    }
  }

  /// Why the keychain can't be used at all.
  ///
  /// - Parameter explain: describes an error for people, in one line.
  init(unusable error: KeychainError, explain: (KeychainError) -> String) {
    if case .fault(let fault) = error {
      self.init(fault.kind, explain(error))
    } else {
      self = .failed(explain(error))
    }
  }

  /// The error for a change of an item that is no login. On another machine a rule must name the items that may be
  /// changed, and it can name only logins, or everything.
  func ofOther(if isOther: Bool) -> ServiceError {
    guard isOther, case .refusedElsewhere = self else { return self }
    return .notSupported(
      "this is not a login, and the other machine keeps something else only for those that may store everything"
    )
  }

  private init(_ kind: KeychainError.Kind, _ text: String) {
    switch kind {
    case .unreachable: self = .unreachable(text)
    case .timedOut, .undecided: self = .timedOut(text)
    case .forbidden: self = .refusedElsewhere(text)
    case .locked: self = .lockedElsewhere(text)
    case .unusable: self = .invalidArguments(text)
    case .busy: self = .limitsExceeded(text)
    case .noKeychain, .notLetIn, .notWritable, .damaged, .unavailable:
      self = .failed(text)
    }
  }
}
