import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

struct MemberCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "member",
    abstract: "Show and change who can open a shared keychain",
    discussion: """
      Each member of a keychain that is shared through git opens it with a key of their own: an age identity, or an \
      ssh key. 'llavero keychain add NAME git REMOTE' tells somebody new which command a member has to type:

        llavero keychain member list team
        llavero keychain member add team "$(cat bob.pub)" --label bob
        llavero keychain member remove team 1c9b2f33a1d0e7c4

      Who may read and write the repository is its host's business.
      """,
    subcommands: [ListMembersCommand.self, AddMemberCommand.self, RemoveMemberCommand.self])
}

struct ListMembersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List who can open a shared keychain",
    discussion: "As it is known here; 'llavero sync' asks the repository.")

  @Argument("The keychain", value: "name")
  var name: String

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    let sync = try GitKeychain(named: name).sync
    let (slots, file) = (try sync.members(), sync.keychain)
    try output.write(
      SlotOutput.report(slots, file.location), or: SlotOutput.table(slots, file.location))
  }
}

struct AddMemberCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Let somebody open a shared keychain",
    discussion: """
      The recipient is age1..., as the new member's 'llavero keychain add' says it, or a line of an ssh public key. \
      The new member can read everything in the keychain from then on; make sure that the recipient is theirs.
      """)

  @Argument("The keychain", value: "name")
  var name: String

  @Argument("age1..., or a line of an ssh public key", value: "recipient")
  var recipient: String

  @Option("What to call the member in 'llavero keychain member list'", value: "text")
  var label: String?

  @OptionGroup var output: ChangeOutputOptions

  func run() throws(KeychainError) {
    try EncryptedFileKeychain.checkRecipient(recipient)
    var keychain = try GitKeychain(named: name)
    keychain.sync.isTold = true
    let (id, outcome) = try keychain.listed.telling { () throws(SharingFault) in
      try keychain.sync.add(member: recipient, label: label)
    }
    try output.write(SlotOutput.report(id, .recipient), or: "\(id)\n")
    GitKeychain.tell(outcome, of: name)
    try keychain.refuseIfWaiting(outcome)
    output.say("\(label ?? "the new member") can read the keychain \(name) from now on")
  }
}

struct RemoveMemberCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a member from a shared keychain",
    discussion: """
      The keychain gets a new key, which the removed member can't open. Treat every secret that the member could read \
      as known: the command lists them, and where to change them. Take away the member's access to the repository, too.
      """)

  @Argument("The keychain", value: "name")
  var name: String

  @Argument("The member's slot, label or recipient; see 'llavero keychain member list'", value: "member")
  var member: String

  @Flag(name: .shortAndLong, help: "Don't ask, and remove yourself, too")
  var yes = false

  @OptionGroup var output: OutputOptions

  func run() throws(KeychainError) {
    var keychain = try GitKeychain(named: name)
    keychain.sync.isTold = true
    let slots = try keychain.sync.members()
    let found = slots.filter { [$0.id, $0.recipient, $0.label].contains(member) }
    if found.count > 1 {
      throw .failure(
        "the keychain \(name) has \(found.count) members '\(member)'",
        hint: "name the slot of one; see them with \(command: "llavero", "keychain", "member", "list", name)",
        status: .usage)
    }
    guard let slot = found.first else {
      throw .failure(
        "the keychain \(name) has no member '\(member)'",
        hint: "see them with \(command: "llavero", "keychain", "member", "list", name)",
        status: .nothingMatched)
    }
    if !yes { try confirm(slot, keychain) }
    let removal = try keychain.listed.telling { () throws(SharingFault) in
      try keychain.sync.remove(member: slot.id)
    }
    if output.json {
      try output.write(removal.known.map(KnownItemOutput.report))
    } else {
      StandardStreams.say(
        "removed; the member could read these secrets: change them where they are used, then here")
      try StandardStreams.write(KnownItemOutput.table(removal.known))
      let left = try keychain.sync.members().map { $0.label ?? $0.recipient ?? $0.id }
      StandardStreams.say("members are now: \(left.joined(separator: ", "))")
    }
    GitKeychain.tell(removal.outcome, of: name)
    if let fault = removal.fault {
      let failure = KeychainError(fault, keychain.listed)
      throw .failure(
        "\(failure.message); until the repository has the new key, the removed member can read what others store",
        hint: "\(command: "llavero", "sync", name) sends it", status: .keychain)
    }
    try keychain.refuseIfWaiting(removal.outcome)
  }
}

extension RemoveMemberCommand {
  /// Asks. Nobody is removed by mistake, and themselves least of all.
  private func confirm(_ slot: SlotSummary, _ keychain: GitKeychain) throws(KeychainError) {
    let own = try keychain.sync.ownSlot()
    if slot.id == own {
      throw .failure(
        "that is you: nothing on this machine would open the keychain \(name) any more",
        hint:
          "see the others with \(command: "llavero", "keychain", "member", "list", name); --yes removes you",
        status: .usage)
    }
    let who = terminalText(slot.label ?? slot.recipient ?? slot.id)
    let question: TextForTerminal = "Remove \(who) from the keychain \(name)?"
    guard let isConfirmed = KeychainSelection(mayPrompt: true).confirms(question) else {
      throw .failure(
        "nobody can be asked whether to remove \(slot.label ?? slot.recipient ?? slot.id)",
        hint: "remove the member with --yes", status: .usage)
    }
    if !isConfirmed { throw .failure("nobody was removed", status: .nothingMatched) }
  }
}

extension GitKeychain {
  /// - Throws: ``KeychainError`` if the repository has not taken the changes.
  func refuseIfWaiting(_ outcome: SharedKeychainSync.Outcome) throws(KeychainError) {
    guard let refusal = outcome.refusal else { return }
    throw .failure(
      "the keychain \(listed.name): it is changed here only, because the repository refuses it: \(refusal)",
      status: .keychain)
  }
}

/// The items that a former member could read.
enum KnownItemOutput {
  static func table(_ known: [KnownItem]) -> TextForTerminal {
    columns(
      [["PLACE", "ACCOUNT", "STATE", "CHANGE IT AT"]]
        + known.map { known in
          [
            place(of: known.item), known.item.key.account?.description ?? "-",
            known.deleted.map { "deleted \(dateText($0))" } ?? "in use", page(of: known.item) ?? "-",
          ].map(terminalText)
        })
  }

  static func report(_ known: KnownItem) -> JSONObject {
    [
      "place": place(of: known.item), "account": known.item.key.account, "state": known.state.rawValue,
      "deleted": known.deleted, "changeAt": page(of: known.item),
    ]
  }

  private static func place(of item: Item) -> String {
    switch item.key {
    case .internetPassword(let key):
      let port = key.port.map { ":\($0)" } ?? ""
      let path = key.path.map { "/\($0)" } ?? ""
      let domain = key.securityDomain.map { " (\($0))" } ?? ""
      return "\(key.protocol)://\(key.server?.description ?? "")\(port)\(path)\(domain)"
    case .genericPassword(let key): return key.service.description
    default: return item.label?.description ?? "-"
    }
  }

  /// The page on which a service ends tokens, if it is known, else the service itself.
  private static func page(of item: Item) -> String? {
    guard case .internetPassword(let key) = item.key, let server = key.server?.lowercased.description else {
      return nil
    }
    if let page = pages[server] { return page }
    guard ["https", "http"].contains(key.protocol.lowercased.description) else { return nil }
    return "\(key.protocol)://\(server)\(key.port.map { ":\($0)" } ?? "")/"
  }

  private static let pages = [
    "github.com": "https://github.com/settings/tokens",
    "ghcr.io": "https://github.com/settings/tokens",
    "gitlab.com": "https://gitlab.com/-/user_settings/personal_access_tokens",
    "bitbucket.org": "https://bitbucket.org/account/settings/app-passwords/",
    "codeberg.org": "https://codeberg.org/user/settings/applications",
    "index.docker.io": "https://app.docker.com/settings/personal-access-tokens",
    "registry.npmjs.org": "https://www.npmjs.com/settings/~/tokens",
    "pypi.org": "https://pypi.org/manage/account/token/",
    "upload.pypi.org": "https://pypi.org/manage/account/token/",
    "crates.io": "https://crates.io/settings/tokens",
    "app.terraform.io": "https://app.terraform.io/app/settings/tokens",
  ]
}
