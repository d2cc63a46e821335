import Bytes
import CredentialProtocols
import EncryptedFile
package import Keychain
import KeychainChoice

/// `git-credential-llavero`: git calls it for every login, so it starts without ArgumentParser.
package enum GitCredentialCommand {
  package static let name = "git-credential-llavero"
  /// The operand that stands for the link.
  package static let operand = "git-credential"

  package static let usage = """
    usage: git-credential-llavero [OPTION...] get | store | erase | capability

    Git calls this by itself after: llavero setup git
    It reads key=value lines up to a blank one and answers likewise; see
    git-credential-llavero(1).

      --timeout SECONDS    what is stored expires after that time
      --keychain NAME      the keychain to use alone; see llavero-keychain(1)
      --collection NAME    in the Secret Service, use only this collection
      --session KIND       the session with the Secret Service: encrypted or plain
      --passphrase-fd N    read the keychain's passphrase from descriptor N
      --no-prompt          ask nobody; a locked keychain is an error at once

    """

  private struct Options {
    var timeout: Int64?
    var selection = KeychainSelection()
    var operation: String?
    var wantsHelp = false
    var wantsVersion = false

    /// The operation is the last argument.
    init(parsing arguments: [ByteString]) throws(KeychainError) {
      var reader = ArgumentReader(arguments)
      func value() throws(KeychainError) -> String { "\(try reader.value())" }
      while let word = reader.next() {
        switch word {
        case .end: throw .failure("unknown option --", status: .usage)
        case .operand(let name):
          if !reader.rest.isEmpty {
            throw .failure("the operation has to be the last argument", status: .usage)
          }
          operation = "\(name)"
        case .option("--timeout"):
          guard let seconds = Int64(try value()), 1...1_000_000_000 ~= seconds else {
            throw .failure("--timeout needs a number of seconds, at least 1", status: .usage)
          }
          timeout = seconds
        case .option("--help"), .option("-h"): wantsHelp = true
        case .option("--version"), .option("-V"): wantsVersion = true
        case .option(let name):
          if !(try selection.take(name, value: value)) {
            throw .failure("unknown option \(name)", status: .usage)
          }
        }
      }
    }
  }

  /// - Parameter arguments: the arguments without the program's name.
  package static func run(_ arguments: [ByteString]) throws(KeychainError) {
    var options = try Options(parsing: arguments)
    if options.wantsHelp { return try StandardStreams.write(raw: usage) }
    if options.wantsVersion { return try StandardStreams.write(raw: Program.versionLine) }
    guard let name = options.operation else {
      throw .failure(
        "no operation was given", hint: "git calls this by itself; see 'git-credential-llavero --help'",
        status: .usage)
    }
    // An operation of a later git is not an error: gitcredentials(7), "Custom helpers".
    guard let operation = GitCredentialProtocol.Operation(rawValue: name) else { return }
    if operation == .capability {
      var text = Secret()
      text.append(GitCredentialProtocol.capabilities)
      return try StandardStreams.write(text)
    }
    // Git forbids only questions on the terminal with this variable, not the desktop's own prompt.
    options.selection.mayAsk = Program.environmentFlag("GIT_TERMINAL_PROMPT") ?? true
    options.selection.readsSecrets = true
    options.selection.isForTool = true
    options.selection.tool = "git"
    let opener = try options.selection.chooseOrExec()
    let lines = try RequestLines.read { (buffer) throws(KeychainError) in
      let count = StandardStreams.read(0, into: buffer, waits: true)
      if count < 0 { throw .request(.input(errno: Int32(-count))) }
      return count
    }
    let request = try lines.withUnsafeBytes { (text) throws(KeychainError) in try GitRequest(parsing: text) }
    let open = try opener.open()
    var protocolOfGit = GitCredentialProtocol(timeout: options.timeout)
    protocolOfGit.isAskedByGit = { RunningProcess.isAskedByGit }
    protocolOfGit.accountForAll = { NameForAll.find(for: $0, in: open) }
    let refused = RefusedPlaces(in: open.location.stateFolder)
    protocolOfGit.refusedBefore = { refused.path(above: $0) }
    protocolOfGit.onRefusal = { refused.add($0) }
    var hasSaved = false
    protocolOfGit.onSave = { outcome in hasSaved = outcome != .unchanged }
    let named = options.selection.name
    protocolOfGit.onUnnamedErasure = { place, count in
      if RunningProcess.isAskedByGit { ErasedProxyLogins(at: place, count).say(for: open, named) }
    }
    var reply = try perform(operation, request, by: protocolOfGit, on: open.keychain)
    if operation == .get, reply.isEmpty, !open.choice.kind.isOfOtherMachine,
      let signIn = GitSignIn(request, stateFolder: open.location.stateFolder)
    {
      let now = try signIn.run(
        in: open, mayAsk: options.selection.mayBeAsked, mayUseTerminal: options.selection.mayAsk
      ) { () throws(KeychainError) in
        (try? protocolOfGit.perform(.get, request, on: open.keychain).isEmpty) == false
      }
      if now {
        open.remember(isSaid: options.selection.tellsOfBeginning)
        reply = try protocolOfGit.perform(operation, request, on: open.keychain)
      }
    }
    if operation == .get, reply.isEmpty { sayIfHidden(request.key, in: open) }
    if hasSaved { open.remember(isSaid: options.selection.tellsOfBeginning) }
    if !reply.isEmpty { try StandardStreams.write(reply) }
  }

  /// Performs the operation. A login that a locked keychain didn't take is named: git goes on, as if it were stored.
  private static func perform(
    _ operation: GitCredentialProtocol.Operation, _ request: borrowing GitRequest,
    by protocolOfGit: GitCredentialProtocol, on keychain: any KeychainStore
  ) throws(KeychainError) -> Secret {
    do throws(KeychainError) {
      return try protocolOfGit.perform(operation, request, on: keychain)
    } catch {
      guard operation == .store, let key = request.key,
        case .locked = KeychainReadiness(readingFailedWith: error)
      else { throw error }
      let place = Item.Key.internetPassword(key).place
      throw .failure(
        "the login for \(place) was not stored: \(error.message)", hint: error.hint,
        status: error.failure.status)
    }
  }

  /// Says why git asks for a login that the person has, where all that matches is hidden on this machine.
  private static func sayIfHidden(_ place: InternetPassword?, in open: OpenKeychain) {
    guard let list = open.list, let place, let query = try? ItemQuery(for: .internetPassword(place)) else {
      return
    }
    let hidden = HiddenItemFile(in: open.location.stateFolder, tell: StandardStreams.warn)
    // Otherwise a server would be asked twice.
    let hidesAny = list.names.contains { ((try? hidden.hidden(in: $0)) ?? []).isEmpty == false }
    guard hidesAny, let found = try? list.find(query) else { return }
    HiddenLogin(onlyAmong: found)?.failure.failure.report()
  }
}
