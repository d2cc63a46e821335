import EncryptedFile
import Keychain
import PrivateFiles

/// The kinds of keychain, by the names that people choose them with.
enum KeychainKind: String, CaseIterable {
  case file
  case secretService = "secret-service"

  /// - Throws: ``Failure`` if there is no such kind.
  init(named name: String) throws(Failure) {
    guard let kind = KeychainKind(rawValue: name) else {
      throw Failure(
        "there is no keychain of the kind '\(name)'", hint: "there are file and secret-service",
        status: .usage)
    }
    self = kind
  }
}

/// Which keychain is used, and why.
struct KeychainChoice {
  /// Why this one is.
  enum Reason: Hashable {
    /// `--keychain` says so.
    case option
    /// `LLAVERO_KEYCHAIN` says so.
    case environment
    /// It was chosen before.
    case remembered(Timestamp?)
    /// It was made just now.
    case made
    /// Nothing was chosen, and there is a vault already.
    case vaultIsThere
    /// Nothing was chosen, and a Secret Service answers.
    case answers
    /// Nothing was chosen, and no Secret Service can be used.
    case noService(String)
  }

  let kind: KeychainKind
  let reason: Reason

  /// The choice so far; `nil` if it takes a look whether there is a Secret Service.
  ///
  /// - Parameter named: what `--keychain` says.
  /// - Throws: ``Failure`` for an unknown kind, or where what was remembered can't be read.
  static func made(named: String?, at location: VaultLocation) throws(Failure) -> KeychainChoice? {
    if let named { return KeychainChoice(kind: try KeychainKind(named: named), reason: .option) }
    if let name = VaultLocation.environmentVariable("LLAVERO_KEYCHAIN"), !name.isEmpty {
      return KeychainChoice(kind: try KeychainKind(named: name), reason: .environment)
    }
    if let remembered = try RememberedKeychain.read(in: location.stateFolder) {
      return KeychainChoice(kind: remembered.kind, reason: .remembered(remembered.date))
    }
    let hasVault = try explaining { () throws(KeychainError) -> Bool in
      try EncryptedFileKeychain(at: location).exists()
    }
    return hasVault ? KeychainChoice(kind: .file, reason: .vaultIsThere) : nil
  }

  /// Whether storing something makes this the keychain from then on.
  var isToBeRemembered: Bool {
    switch reason {
    case .option, .environment, .remembered, .made: false
    case .vaultIsThere, .answers, .noService: true
    }
  }

  /// In words that follow the keychain's name.
  var reasonText: String {
    switch reason {
    case .option: "chosen by --keychain"
    case .environment: "chosen by LLAVERO_KEYCHAIN"
    case .remembered(let date): date.map { "remembered on \("\($0)".prefix(10))" } ?? "remembered"
    case .made: "made just now"
    case .vaultIsThere: "which is there already"
    case .answers: "for a Secret Service answers"
    case .noService(let why): "as no Secret Service can be used (\(why))"
    }
  }

  /// In a word, for programs.
  var reasonName: ByteString {
    switch reason {
    case .option: "option"
    case .environment: "environment"
    case .remembered: "remembered"
    case .made: "made"
    case .vaultIsThere: "vault-exists"
    case .answers: "service-answers"
    case .noService: "no-service"
    }
  }
}

/// The choice that was made at the first store or by `llavero keychain use`: a file of one line, `KIND DATE`.
struct RememberedKeychain {
  let kind: KeychainKind
  let date: Timestamp?

  private static let name = "keychain"

  /// - Throws: ``Failure`` if it can't be read or understood: then nobody knows where the items are.
  static func read(in stateFolder: String) throws(Failure) -> RememberedKeychain? {
    let line = try explaining { () throws(KeychainError) -> String? in
      guard let folder = try Folder(opening: stateFolder), let file = try folder.file(name) else {
        return nil
      }
      return try file.contents(limit: 1000).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
    guard let line else { return nil }
    let words = line.split(whereSeparator: \.isWhitespace)
    guard let word = words.first, let kind = KeychainKind(rawValue: String(word)) else {
      throw Failure(
        "cannot tell which keychain is used: \(stateFolder)/\(name) can't be understood",
        hint: "say which with 'llavero keychain use file' or 'llavero keychain use secret-service'",
        status: .keychain)
    }
    return RememberedKeychain(
      kind: kind, date: words.count > 1 ? Timestamp(rfc3339: words[1].utf8) : nil)
  }

  /// Remembers a choice.
  static func write(_ kind: KeychainKind, in stateFolder: String, at now: Timestamp = .now) throws(Failure) {
    let line = Secret("\(kind.rawValue) \(now)\n")
    try explaining { () throws(KeychainError) in
      let folder = try Folder(creating: stateFolder)
      try line.withUnsafeBytes { (bytes) throws(KeychainError) in try folder.replace(name, with: bytes) }
    }
  }
}
