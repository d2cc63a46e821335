import Keychain
import ToolCommands

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

  /// The error's name on the bus, and the text for people: without secrets, and without anything that the caller sent.
  var told: (name: String, text: String) {
    func bus(_ name: String, _ text: String) -> (String, String) {
      ("org.freedesktop.DBus.Error." + name, text)
    }
    func service(_ name: String, _ text: String) -> (String, String) {
      ("org.freedesktop.Secret.Error." + name, text)
    }
    return switch self {
    case .isLocked: service("IsLocked", "the collection is locked")
    case .lockedElsewhere(let text): service("IsLocked", text)
    case .noSession: service("NoSession", "there is no such session of this caller")
    case .noSuchObject: service("NoSuchObject", "there is no such object")
    case .unknownObject: bus("UnknownMethod", "there is no object at this path")
    case .unknownInterface: bus("UnknownInterface", "the object has no such interface")
    case .unknownMethod: bus("UnknownMethod", "there is no such method")
    case .unknownProperty: bus("UnknownProperty", "there is no such property")
    case .readOnlyProperty: bus("PropertyReadOnly", "the property can't be set")
    case .notSupported(let text): bus("NotSupported", text)
    case .invalidArguments(let text): bus("InvalidArgs", text)
    case .accessDenied(let text), .refusedElsewhere(let text): bus("AccessDenied", text)
    case .alreadyExists(let text): service("AlreadyExists", text)
    case .limitsExceeded(let text): bus("LimitsExceeded", text)
    case .failed(let text): bus("Failed", text)
    case .unreachable(let text): bus("NoServer", text)
    case .timedOut(let text): bus("TimedOut", text)
    case .wrongPassphrase: ("org.gnome.keyring.Error.Denied", "the password is wrong")
    }
  }

  /// Why the keychain could not do this.
  init(_ error: KeychainError) {
    switch error {
    case .locked, .wrongPassphrase, .promptDismissed: self = .isLocked
    case .itemNotFound: self = .noSuchObject
    case .tooLarge, .unusableAttribute: self = .invalidArguments(error.message)
    case .duplicateItem: self = .alreadyExists(error.message)
    default: self.init(unusable: error)
    }
  }

  /// Why the keychain can't be used at all.
  init(unusable error: KeychainError) {
    if case .fault(let fault) = error {
      self.init(fault.kind, error.message)
    } else {
      self = .failed(error.message)
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
