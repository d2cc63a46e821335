import Bytes
import Keychain
import KeychainChoice
import ToolCommands

/// `find-…-password`, `add-…-password` and `delete-…-password`
enum SecurityPasswordCommands {
  // MARK: Finding

  /// Prints the first match, or its password.
  static func find(
    _ words: [SecurityWord], isInternetPassword: Bool, _ session: SecuritySession
  ) throws(SecurityFailure) {
    let options = try SecurityOptions(
      words, isInternetPassword ? "a:s:d:p:P:r:t:l:D:j:c:C:gw" : "a:s:G:l:D:j:c:C:gw")
    let criteria = try SecurityCriteria(options, isInternetPassword: isInternetPassword)
    let wantsSecret = options.has("g") || options.has("w")
    for keychain in try keychains(options.operands, session, readsSecrets: wantsSecret) {
      let store = keychain.keychain
      let found = try securing("SecKeychainSearchCopyNext") { () throws(KeychainError) in
        try store.reading { () throws(KeychainError) -> Found? in
          try store.first(among: criteria.query) { (items) throws(KeychainError) -> Found? in
            for item in criteria.found(among: items, criteria.matches) {
              // For a program, a password that a server has refused doesn't exist.
              if item.isHidden { continue }
              if !wantsSecret { return Found(item) }
              guard let credential = try store.credentialIfPresent(of: item) else { continue }
              // Expired items don't answer.
              if !credential.isExpired(at: .now) { return Found(item, credential.secret.copy()) }
            }
            return nil
          }
        }
      }
      if let found { return try show(found, in: keychain, onlySecret: options.has("w")) }
    }
    throw .status(.itemNotFound, of: "SecKeychainSearchCopyNext", because: nil)
  }

  private final class Found {
    let item: Item
    let hasSecret: Bool
    let secret: Secret

    init(_ item: Item) {
      self.item = item
      hasSecret = false
      secret = Secret()
    }

    init(_ item: Item, _ secret: consuming Secret) {
      self.item = item
      hasSecret = true
      self.secret = secret
    }
  }

  private static func show(
    _ found: Found, in keychain: OpenKeychain, onlySecret: Bool
  ) throws(SecurityFailure) {
    var output = Secret(capacity: 1024)
    if onlySecret {
      found.secret.withUnsafeBytes { SecurityValue.appendSecret($0, to: &output) }
      output.append("\n")
      return try write(output)
    }
    SecurityItemText.append(found.item, in: keychain.securityName(of: found.item), to: &output)
    try write(output)
    if !found.hasSecret { return }
    // Scripts look for this line on standard error.
    var line = Secret(capacity: 256)
    line.append("password: ")
    found.secret.withUnsafeBytes { SecurityValue.append($0, to: &line) }
    line.append("\n")
    try write(line, to: 2)
  }

  // MARK: Adding

  /// Adds an item, or with `-U` changes an existing one.
  static func add(
    _ words: [SecurityWord], isInternetPassword: Bool, _ session: SecuritySession
  ) throws(SecurityFailure) {
    let options = try SecurityOptions(
      words,
      isInternetPassword ? "a:s:d:p:P:r:t:l:D:j:c:C:w::X:UAT:" : "a:s:G:l:D:j:c:C:w::p:X:UAT:")
    let criteria = try SecurityCriteria(options, isInternetPassword: isInternetPassword)
    if criteria[.account] == nil || criteria[isInternetPassword ? .server : .service] == nil {
      throw .usage("needs -a and -s")
    }
    let function = "SecKeychainItemCreateFromContent (<default>)"
    let keychain = try session.keychain(try options.keychain())
    let store = keychain.keychain
    let item = criteria.newItem()
    // Check for impossible and existing items before asking for the password.
    try securing(function) { () throws(KeychainError) in
      try item.validateKey()
      try item.validate()
      if !options.has("U"), try hasTwin(item, in: store) { throw .duplicateItem }
    }
    let given = try password(options, isInternetPassword: isInternetPassword, session)
    try securing(function) { () throws(KeychainError) in
      let known = options.has("U") ? try present(criteria, item, in: store) : nil
      let own = store.part(with: known.map { [$0] } ?? [])
      try own.exclusively { () throws(KeychainError) in
        if options.has("U"), let present = try present(criteria, item, in: own) {
          try change(criteria.noted(on: present), given, in: own)
        } else {
          try own.add(item, given.credential())
        }
      }
    }
    keychain.remember()
    if options.has("T"), !session.isQuiet {
      SecurityFailure.say(
        "llavero: -T has no meaning here: every program of yours can read the item while the keychain is unlocked"
      )
    }
  }

  private static func hasTwin(_ item: Item, in store: any KeychainStore) throws(KeychainError) -> Bool {
    let primaryKey = item.key.primaryKey
    return try store.items(matching: try ItemQuery(for: item.key)).contains {
      $0.key.primaryKey == primaryKey
    }
  }

  /// The item for `-U`: the one with the same primary key, else the first that matches the given parts of it. An item
  /// stored by another tool is changed only if its security domain is given.
  private static func present(
    _ criteria: SecurityCriteria, _ item: Item, in store: any KeychainStore
  ) throws(KeychainError) -> Item? {
    let primaryKey = item.key.primaryKey
    let found = criteria.found(among: try store.items(matching: .all), criteria.matchesKey)
    if let exact = found.first(where: { $0.key.primaryKey == primaryKey }) { return exact }
    return found.first { criteria[.securityDomain] != nil || $0[.securityDomain] == nil }
  }

  private static func change(
    _ item: Item, _ given: GivenPassword, in store: any KeychainStore
  ) throws(KeychainError) {
    if given.isThere {
      try store.update(item, given.credential())
    } else {
      try store.update(item)
    }
  }

  /// Empty if none was given.
  private final class GivenPassword {
    private let secret: Secret
    let isThere: Bool

    init(_ secret: consuming Secret) {
      self.secret = secret
      isThere = true
    }

    init() {
      secret = Secret()
      isThere = false
    }

    func credential() -> Credential { Credential(secret.copy()) }
  }

  private static func password(
    _ options: SecurityOptions, isInternetPassword: Bool, _ session: SecuritySession
  ) throws(SecurityFailure) -> GivenPassword {
    let letters = (isInternetPassword ? ["w", "X"] : ["w", "p", "X"]).map { UInt8(ascii: $0) }
    guard let last = options.given.last(where: { letters.contains($0.letter) }) else {
      return GivenPassword()
    }
    guard let word = last.value else {
      return GivenPassword(try SecurityPasswordInput.read(mayReadInput: !session.isInteractive))
    }
    if last.letter != UInt8(ascii: "X") { return GivenPassword(word.bytes.copy()) }
    guard let bytes = word.bytes.withUnsafeBytes({ Secret(hexadecimal: $0) }) else {
      throw .usage("-X needs hexadecimal digits, two for each byte")
    }
    return GivenPassword(bytes)
  }

  // MARK: Deleting

  /// Deletes the first match, and prints it.
  static func delete(
    _ words: [SecurityWord], isInternetPassword: Bool, _ session: SecuritySession
  ) throws(SecurityFailure) {
    let options = try SecurityOptions(
      words, isInternetPassword ? "a:s:d:p:P:r:t:l:D:j:c:C:" : "a:s:G:l:D:j:c:C:")
    let criteria = try SecurityCriteria(options, isInternetPassword: isInternetPassword)
    if criteria.isEmpty { throw .usage("needs to be told which item") }
    for keychain in try keychains(options.operands, session) {
      let store = keychain.keychain
      let deleted = try securing("SecKeychainSearchCopyNext") { () throws(KeychainError) in
        // Usually there is one. If there is none, nothing has to be locked.
        let known = try store.items(matching: .all) { !$0.isHidden && criteria.matches($0) }
        if known.isEmpty { return Item?.none }
        let own = store.part(with: known)
        return try own.exclusively { () throws(KeychainError) -> Item? in
          let found = criteria.found(among: try own.items(matching: .all)) {
            !$0.isHidden && criteria.matches($0)
          }
          guard let item = found.first, try own.delete([item]) > 0 else { return nil }
          return item
        }
      }
      guard let item = deleted else { continue }
      var output = Secret(capacity: 1024)
      SecurityItemText.append(item, in: keychain.securityName(of: item), to: &output)
      try write(output)
      return SecurityFailure.say("password has been deleted.")
    }
    throw .status(.itemNotFound, of: "SecKeychainSearchCopyNext", because: nil)
  }

  // MARK: Shared

  /// The named keychains, or else the one in use.
  private static func keychains(
    _ operands: [SecurityWord], _ session: SecuritySession, readsSecrets: Bool = false
  ) throws(SecurityFailure) -> [OpenKeychain] {
    if operands.isEmpty { return [try session.keychain(nil, readsSecrets: readsSecrets)] }
    // Check first that all are known, then open them: opening one may replace this process with another program.
    for operand in operands { _ = try session.operand(operand) }
    var keychains: [OpenKeychain] = []
    for operand in operands { keychains.append(try session.keychain(operand, readsSecrets: readsSecrets)) }
    return keychains
  }

  private static func write(_ output: borrowing Secret, to descriptor: Int32 = 1) throws(SecurityFailure) {
    try writing { () throws(KeychainError) in try StandardStreams.write(output, to: descriptor) }
  }
}
