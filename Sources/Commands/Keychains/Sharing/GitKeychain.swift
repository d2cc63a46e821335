import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

/// A listed git-shared keychain, for the commands about it.
struct GitKeychain {
  let listed: ListedKeychain
  var sync: SharedKeychainSync

  /// The time limit for git, in milliseconds: usually, and while a tool waits.
  private static let timeout = 120_000
  private static let shortTimeout = 5_000
  /// The same for taking a lease.
  static let leaseTimeout = 12_000
  /// How long to wait for another process that syncs while a tool waits, in seconds.
  private static let shortPatience = 2

  /// - Parameters:
  ///   - isQuick: whether a tool waits for it.
  ///   - mayAsk: whether a person may be asked.
  ///   - timeout: the time limit for git, in milliseconds, if it isn't the usual one.
  /// - Throws: ``KeychainError`` if there is no such keychain, or it isn't shared through git.
  init(
    named name: String, isQuick: Bool = false, mayAsk: Bool = true, timeout: Int? = nil
  ) throws(KeychainError) {
    let listed = try ListedKeychain.named(name)
    guard listed.kind.hasRepository else {
      throw .failure("the keychain \(name) is not shared through git", status: .usage)
    }
    try self.init(listed, isQuick: isQuick, mayAsk: mayAsk, timeout: timeout)
    listed.checkName(atChangesOf: sync.keychain, in: try VaultLocation().stateFolder)
  }

  init(
    _ listed: ListedKeychain, isQuick: Bool = false, mayAsk: Bool = true, timeout: Int? = nil
  ) throws(KeychainError) {
    self.listed = listed
    var selection = KeychainSelection(mayPrompt: mayAsk && !isQuick)
    selection.sharesChanges = false
    let file = try ProgramOpener(selection, try VaultLocation()).openFile(listed)
    let git = try listed.telling { () throws(SharingFault) in
      try GitProgram(
        at: file.location.vaultFolder + "/repository", personalKeychain: Self.personalKeychain,
        mayAsk: mayAsk && !isQuick, timeout: timeout ?? (isQuick ? Self.shortTimeout : Self.timeout))
    }
    let branch = listed.value(of: ListedKeychain.branchOption) ?? SharedRepository.defaultBranch
    sync = SharedKeychainSync(
      file, SharedRepository(git, remote: listed.place, branch: branch),
      identity: listed.value(of: ListedKeychain.identityOption))
    if isQuick { sync.patience = Self.shortPatience }
  }

  static func all() throws(KeychainError) -> [ListedKeychain] {
    let location = try VaultLocation()
    return try KeychainList.read(in: location.stateFolder).keychains.filter {
      $0.kind.hasRepository
    }
  }

  /// The keychain that may provide the login for the remote: the chosen one, unless it is shared itself.
  private static var personalKeychain: String {
    guard let location = try? VaultLocation(),
      let choice = try? KeychainChoice.made(named: nil, at: location), !choice.kind.isShared
    else { return KeychainKind.file.rawValue }
    return choice.name
  }

  func bringInStep(
    acceptsRewritten: Bool = false, isAnew: Bool = false, isQueued: Bool = false
  ) throws(KeychainError) -> SharedKeychainSync.Outcome {
    try listed.telling { () throws(SharingFault) in
      try sync.sync(acceptsRewritten: acceptsRewritten, isAnew: isAnew, isQueued: isQueued)
    }
  }
}

extension GitKeychain {
  /// Reports the parts of a sync that a person should know of, and perhaps act on.
  static func tell(_ outcome: SharedKeychainSync.Outcome, of name: String) {
    if outcome.overridden > 0 {
      StandardStreams.say(
        """
        \(countText(outcome.overridden, "change")) that you had made came too late, others had changed the same; see \
        what was replaced with \(command: "llavero", "undelete", "--list", "--keychain", name)
        """)
    }
    for member in outcome.withFormerKey {
      StandardStreams.say(
        """
        while the keychain \(name) got a new key, somebody who had the former one added \(member); they can't open it
        """)
    }
    if !outcome.withFormerKey.isEmpty {
      StandardStreams.say(
        "hint: a removed member may have done it; if you know the new one, add them with \(command: "llavero", "keychain", "member", "add", name, "age1...")"
      )
    }
  }
}

extension ListedKeychain {
  /// Runs `body`, whose errors are told as those of this keychain.
  ///
  /// - Parameter isAdded: whether the keychain is in the list already.
  func telling<Result>(
    isAdded: Bool = true, _ body: () throws(SharingFault) -> Result
  ) throws(KeychainError) -> Result {
    do throws(SharingFault) {
      return try body()
    } catch {
      throw isAdded ? KeychainError(error, self) : KeychainError(adding: self, error)
    }
  }

  /// The command that adds this keychain, which finds its identity by itself.
  var adding: [String] {
    let branch = value(of: Self.branchOption).map { ["--branch", $0] } ?? []
    return ["llavero", "keychain", "add", name, kind.rawValue, shownPlace] + branch
  }
}

extension KeychainError {
  /// Describes why a keychain can't be added, before anybody has changed it.
  init(adding listed: ListedKeychain, _ fault: SharingFault) {
    let failure = KeychainError(fault, listed)
    self =
      fault.passes ? KeychainError(failure.message, hint: "nothing was added", status: .keychain) : failure
  }

  /// Describes why a keychain can't be synced with its repository.
  init(_ fault: SharingFault, _ listed: ListedKeychain) {
    let name = listed.name
    func failure(_ hint: Hint?) -> KeychainError {
      KeychainError("the keychain \(name): \(fault.text)", hint: hint, status: .keychain)
    }
    switch fault {
    case .keychain(.slot(.lastWayIn)):
      self = KeychainError(
        "that is the only member of the keychain \(name), and nobody else could open it",
        hint:
          "add another one first, with \(command: "llavero", "keychain", "member", "add", name, "age1...")",
        status: .keychain)
    case .keychain(.slot(.tooMany(let limit))):
      self = KeychainError(
        "the keychain \(name) has \(limit) members, and can have no more",
        hint: "remove one with \(command: "llavero", "keychain", "member", "remove", name, "MEMBER")",
        status: .keychain)
    case .keychain(let error): self = error
    case .notMember(let wasBefore):
      let path = listed.value(of: ListedKeychain.identityOption) ?? ""
      let recipient = (try? SlotIdentity.recipient(at: path)) ?? nil
      let hint = wasBefore ? Hint.ofFormerMember : Hint.ofNewMember
      self = failure(hint(name, recipient, listed.value(of: ListedKeychain.labelOption)))
    case .untrustedKey:
      self = failure(
        """
        ask the others about it; if one of them has changed the key, \
        \(command: "llavero", "sync", name, "--anew", "--accept-rewritten") takes what is there, and names the folder that \
        has what is here; else \(command: "llavero", "sync", name, "--accept-rewritten") puts yours back
        """)
    case .rewritten, .keychainRemoved, .unusable, .tooMuch:
      self = failure(
        """
        ask the others about it; \(command: "llavero", "sync", name, "--accept-rewritten") goes on from what is there, \
        and sends again what it lacks
        """
      )
    case .hostKey:
      self = failure("connect to the host with ssh once, and compare its key with the one its owner names")
    case .loginRefused:
      self = failure("git takes the login from your own keychain, or from ssh; try 'git ls-remote'")
    case .noGit: self = failure("install git")
    case .brokenClone:
      let folder = (try? VaultLocation()).flatMap { try? $0.of(listed) }?.vaultFolder ?? ""
      self = failure(
        "remove it with \(command: "rm", "-rf", folder + "/repository"); it is made anew, and your copy stays"
      )
    case .otherKeychain: self = failure("add that one under another name")
    case .locked(let file):
      // A file on another host must never be removed here.
      let place = listed.place.hasPrefix("file://") ? String(listed.place.dropFirst(7)) : listed.place
      let isHere = place.hasPrefix("/") && file.hasPrefix(place + "/") && FileStatus.isThere(file)
      let removing: Hint = isHere ? "remove it with \(command: "rm", file)" : "have it removed on that host"
      self = failure("if no git is at work there, \(removing); your changes are kept here, and sent later")
    case .unreachable, .tooSlow, .contended, .busy:
      self = failure("your changes are kept here, and sent later")
    case .noRepository, .refused, .failed, .noKeychain: self = failure(nil)
    }
  }
}
