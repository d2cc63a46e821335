package import CredentialProtocols
import EncryptedFile
package import Keychain
package import KeychainChoice
import PrivateFiles

/// What a command ends with (DESIGN: 0 done, 1 nothing matched, 2 the keychain could not be used, 64 usage).
package enum Status: Int32 {
  case done = 0
  case nothingMatched = 1
  case keychain = 2
  case usage = 64
}

/// Why a command failed, as it is told to the person: one line, perhaps one with what to do, and a status.
package struct Failure: Error {
  /// Without the program's name, in small letters, without a full stop.
  package let message: String
  /// What to do about it, where that can be followed.
  package let hint: String?
  /// What the program ends with.
  package let status: Status
  /// The keychain's error that it tells, if it is one.
  package private(set) var cause: KeychainError?

  package init(_ message: String, hint: String? = nil, status: Status) {
    self.message = message
    self.hint = hint
    self.status = status
  }

  /// Tells the person.
  package func report() {
    StandardStreams.say(terminalText(message))
    if let hint { StandardStreams.say("hint: " + terminalText(hint)) }
  }
}

extension Failure {
  /// What ArgumentParser found wrong with a command line, in this program's manner.
  package init(usage message: String, helpCommand: String) {
    var text = String(message.prefix { $0 != "\n" })
    if text.hasSuffix(".") { text.removeLast() }
    if let stop = text.firstIndex(of: "."), text[stop...].hasPrefix(". Did you mean") {
      text = "\(text[..<stop]); did you mean\(text[stop...].dropFirst(14))"
    }
    let offer = ". Please provide one of"
    if let stop = text.indices.first(where: { text[$0...].hasPrefix(offer) }) {
      text = "\(text[..<stop]); there are\(text[stop...].dropFirst(offer.count))"
    }
    self.init(text.prefix(1).lowercased() + text.dropFirst(), hint: "see '\(helpCommand)'", status: .usage)
  }

  /// The one place where it becomes text why no keychain can be chosen.
  package init(_ error: KeychainChoiceError) {
    switch error {
    case .unknownKind(let name):
      self.init(
        "there is no keychain of the kind '\(name)'", hint: "there are file and secret-service",
        status: .usage)
    case .unreadableChoice(let path):
      self.init(
        "cannot tell which keychain is used: \(path) can't be understood",
        hint: "say which with 'llavero keychain use file' or 'llavero keychain use secret-service'",
        status: .keychain)
    case .unusableSetting(let name, .noDuration):
      self.init("\(name) has to be a time like 90s, 15m or 8h, from 1s to 30d", status: .usage)
    case .unusableSetting(let name, .noSeconds):
      self.init("\(name) has to be a number of seconds, from 0.001 to 86400", status: .usage)
    case .unusableSetting(let name, .noWholeSeconds):
      self.init("\(name) has to be a whole number of seconds, from 0 to 86400", status: .usage)
    case .unusableSetting(let name, .noUnlockCacheMode):
      self.init("\(name) has to be auto, keyring, agent or none", status: .usage)
    case .unknownSession:
      self.init("a session is either encrypted or plain", status: .usage)
    case .keychain(let error):
      self.init(error)
    }
  }

  /// The one place where a keychain's error becomes text.
  package init(_ error: KeychainError) {
    switch error {
    case .queryTooBroad(.noProtocol):
      self.init("the request names no protocol", status: .usage)
    case .queryTooBroad(.noServer):
      self.init("the request names neither a host nor a path", status: .usage)
    case .queryTooBroad(.noService):
      self.init("the service has no name", status: .usage)
    case .unusableAttribute(let name, .lineBreak):
      self.init("the \(name) has a line break or a NUL byte in it", status: .usage)
    case .unusableAttribute(let name, .tooLong(let limit)):
      self.init("the \(name) is longer than \(limit) bytes", status: .usage)
    case .unusableAttribute(let name, .empty):
      self.init("the \(name) is empty", status: .usage)
    case .unusableAttribute(let name, .notText):
      self.init("the \(name) is no UTF-8 text", status: .keychain)
    case .duplicateItem:
      self.init(
        "there is such an item already", hint: "change it with 'llavero update'", status: .nothingMatched)
    case .itemNotFound:
      self.init("the item is gone", status: .nothingMatched)
    case .locked(let path):
      self.init(
        "the keychain \(path) is locked, and nobody can be asked for its passphrase",
        hint:
          "run 'llavero unlock' in the foreground of a terminal, or give the passphrase with --passphrase-fd, or "
          + "by LLAVERO_PASSPHRASE_COMMAND; see llavero(1)",
        status: .keychain)
    case .promptDismissed:
      self.init("no passphrase was given", status: .keychain)
    case .wrongPassphrase(let path):
      self.init("that passphrase does not open the keychain \(path)", status: .keychain)
    case .wrongPassphraseGiven(let giver, let path):
      self.init("the passphrase from \(giver) does not open the keychain \(path)", status: .keychain)
    case .mistypedRecoveryCode(let groups):
      let place = groups.map(String.init).joined(separator: " or ")
      self.init(
        "that recovery code has a typing error" + (groups.isEmpty ? "" : ", probably in group \(place)"),
        hint: "it has seven groups of four letters and digits", status: .keychain)
    case .noSlotOpens(let path):
      self.init(
        "none of the ways into the keychain \(path) works here",
        hint: "see them with 'llavero slot list'; LLAVERO_IDENTITY names the file of a key", status: .keychain
      )
    case .slot(let fault):
      self.init(fault)
    case .collectionLocked(let name):
      self.init(
        "the collection '\(name)' of the Secret Service is locked",
        hint: "unlock it with 'llavero unlock\(name == "login" ? "" : " --collection \(name)")'",
        status: .keychain)
    case .itemLocked(let name):
      self.init(
        "this item of the collection '\(name)' is locked: its service asks about each access, and nobody answered",
        hint: "answer its dialog on the desktop, or let its settings confirm no access", status: .keychain)
    case .noCollection(nil):
      self.init(
        "the Secret Service has no collection for new items", hint: "make one with 'llavero keychain create'",
        status: .keychain)
    case .noCollection(let name?):
      self.init(
        "the Secret Service has no collection '\(name)'", hint: "see which it has with 'llavero status'",
        status: .keychain)
    case .noAnswer(let call, let milliseconds):
      let who = call == "Hello" || call == "AUTH" ? "the session bus" : "the Secret Service"
      self.init(
        "\(who) has not answered \(call) within \(seconds(milliseconds))",
        hint: "see what is wrong with 'llavero doctor'", status: .keychain)
    case .refused(let call, let error, let detail):
      self.init(
        "the Secret Service failed at \(call): \(detail)" + (error.isEmpty ? "" : " (\(error))"),
        hint: "see what is wrong with 'llavero doctor'", status: .keychain)
    case .unavailable(let reason):
      self.init("the keychain can't be used: \(reason)", status: .keychain)
    case .unsafeFile(let path, let fault):
      self.init(path, fault)
    case .missing(let path):
      self.init(missing: path)
    case .elsewhere(let path, let known):
      self.init(elsewhere: path, known: known)
    case .wrongIdentity(let path):
      self.init(wrongIdentity: path)
    case .otherKey(let path):
      self.init(
        "cannot merge \(path): it is encrypted for another key, for the keychain was rotated, there or here",
        hint: "nothing was changed; "
          + ((try? VaultLocation()).map { "append that machine's key file to \($0.identityFile), or " } ?? "")
          + "add a slot there that opens here, and merge again", status: .keychain)
    case .damaged(let path, let detail):
      self.init(damaged: path, detail)
    case .rolledBack(let path, let generation, let seen):
      self.init(rolledBack: path, generation: generation, seen: seen)
    case .newerFormat(let path, let version):
      self.init(
        "the keychain \(path) is of format \(version), which is newer than this program",
        hint: "install a newer llavero", status: .keychain)
    case .tooLarge(let what, let limit):
      let isGiven = what == "the secret" || what == "the item"
      self.init("\(what) is larger than \(limit) bytes", status: isGiven ? .usage : .keychain)
    case .notEnoughMemory(let needed, let available):
      self.init(
        "unlocking takes \(needed) MiB of memory, and \(available) MiB are free", status: .keychain)
    case .busy(let path, let seconds):
      self.init(
        "gave up: another process has held \(path) for \(seconds) seconds; nothing was changed",
        hint: "see who with 'fuser \(path)'", status: .keychain)
    case .earlierStatesRemain(let reason):
      self.init(
        "the change is made, but earlier states of the keychain remain: \(Failure(reason).message)",
        hint: "the same command once more removes them", status: .keychain)
    case .system(let operation, let path, let errno):
      self.init("cannot \(operation) \(path): \(errorText(errno))", status: .keychain)
    }
    cause = error
  }

  private init(_ path: String, _ fault: KeychainError.FileFault) {
    switch fault {
    case .owner(let uid):
      self.init(
        "\(path) belongs to another user (uid \(uid)) and is not used",
        hint: "run this as that user, or give the file back with chown", status: .keychain)
    case .mode(let mode):
      self.init(
        "\(path) can be used by others (mode \(String(mode, radix: 8))) and is not used",
        hint: "chmod go= \(path)", status: .keychain)
    case .symbolicLink:
      self.init(
        "\(path) is a symbolic link and is not used",
        hint: "put the file itself there; its folder may be a link", status: .keychain)
    case .wrongKind:
      self.init("\(path) is not what it has to be, a plain file or a folder", status: .keychain)
    }
  }

  private init(damaged path: String, _ detail: String) {
    let message = "cannot use the keychain \(path): \(detail)"
    guard let good = Self.lastGoodState({ $0.vaultFile == path }) else {
      self.init(
        message, hint: "nothing was changed; put back a copy of the file from a backup", status: .keychain)
      return
    }
    self.init(
      message,
      hint: "nothing was changed; the last good state is write \(good.number) of \(good.written): "
        + "'llavero vault salvage' puts it back with what the file still gives", status: .keychain)
  }

  private init(wrongIdentity path: String) {
    guard let good = Self.lastGoodState({ $0.identityFile == path }) else {
      self.init(
        "the identity \(path) is not the one of this keychain",
        hint: "put the identity back that was made with the keychain", status: .keychain)
      return
    }
    // A header that was altered looks like another's: which of its bytes are wrong can't be told.
    self.init(
      "the identity \(path) opens earlier states of the keychain, but not the present one",
      hint: "if the key was changed elsewhere, put the new identity here; else the file is damaged, and "
        + "'llavero vault salvage' puts write \(good.number) of \(good.written) back", status: .keychain)
  }

  private static func lastGoodState(_ isMeant: (VaultLocation) -> Bool) -> Generation? {
    guard let location = try? VaultLocation(), isMeant(location) else { return nil }
    return EncryptedFileKeychain(at: location).newestGoodGeneration()
  }

  private init(rolledBack path: String, generation: Int64, seen: Int64?) {
    let was = seen.map { "write \($0) was seen here" } ?? "another key wrote what was seen here"
    self.init(
      "the keychain \(path) is an older state of itself: it is of write \(generation), and \(was)",
      hint: "if it was you who put it back, or changed its key elsewhere, say so with 'llavero vault accept'",
      status: .keychain)
  }

  private init(_ fault: KeychainError.SlotFault) {
    switch fault {
    case .notFound(let id):
      self.init(
        "the keychain has no slot '\(id)'", hint: "see which it has with 'llavero slot list'",
        status: .nothingMatched)
    case .alreadyThere(let id):
      self.init("the keychain has that way in already: \(id)", status: .nothingMatched)
    case .lastWayIn(let id):
      self.init(
        "'\(id)' is the last way into the keychain, which nobody could open without it",
        hint: "add another one first, with 'llavero slot add'", status: .keychain)
    case .tooMany(let limit):
      self.init(
        "the keychain has \(limit) slots, and can have no more",
        hint: "remove one with 'llavero slot remove'",
        status: .keychain)
    case .malformedRecipient:
      self.init(
        "that is no recipient that llavero can use",
        hint: "there are age1..., as age-keygen prints it, and lines of public keys: ssh-ed25519 ...",
        status: .usage)
    case .notItsIdentity(let path):
      self.init(
        "\(path) does not hold the identity of that recipient; nothing was changed", status: .keychain)
    case .commandFailed(let program):
      self.init(
        "the program '\(program)' gave no passphrase",
        hint: "it has to print it within a minute, and to end with status 0", status: .keychain)
    case .commandMismatch(let id):
      self.init(
        "what the program of slot \(id) prints is not the passphrase of that slot",
        hint: "if it was changed, remove the slot and add it again", status: .keychain)
    case .pluginFailed(let name, let fault):
      self.init(plugin: name, fault)
    case .secretMissing(let id):
      self.init(
        "the passphrase of slot \(id) was not given; nothing was changed",
        hint: "drop the slot with --drop \(id), if nobody has it any more", status: .keychain)
    case .secretMismatch(let id):
      self.init(
        "that is not the passphrase of slot \(id); nothing was changed",
        hint: "drop the slot with --drop \(id), if nobody has it any more", status: .keychain)
    case .notRenewable(let id, let kind):
      self.init(
        "slot \(id) of the kind \(kind) can't be renewed on this machine; nothing was changed",
        hint: "drop it with --drop \(id), and add it again where it can be opened", status: .keychain)
    case .changedMeanwhile:
      self.init(
        "another process has changed the ways into the keychain meanwhile; nothing was changed",
        hint: "run this again", status: .keychain)
    case .unconfirmed:
      self.init(
        "nobody has confirmed what opens the keychain again; nothing was changed",
        hint: "see what that is with 'llavero vault salvage'", status: .keychain)
    case .passphraseLikeCode:
      self.init(
        "that passphrase could be taken for a recovery code", hint: "use another one", status: .usage)
    case .otherIdentityFile(let path):
      self.init(
        "\(path) is the identity of another keychain", hint: "move it away first", status: .keychain)
    }
  }

  private init(plugin name: String, _ fault: KeychainError.PluginFault) {
    let retry = "plug in what it works with, and try again; the keychain is as it was"
    switch fault {
    case .notFound:
      self.init(
        "the age plugin \(name) is missing: there is no program age-plugin-\(name)",
        hint: "install it, or name its folder in PATH; the keychain is as it was", status: .keychain)
    case .notStarted(let errno):
      self.init(
        "the age plugin \(name) can't be started: \(errorText(errno))",
        hint: "see what is wrong with the program age-plugin-\(name); the keychain is as it was",
        status: .keychain)
    case .ended:
      self.init("the age plugin \(name) ended before it was done", hint: retry, status: .keychain)
    case .timedOut:
      self.init("the age plugin \(name) took too long", hint: retry, status: .keychain)
    case .brokeProtocol:
      self.init(
        "the age plugin \(name) does not keep to the protocol of age's plugins",
        hint: "see whether there is a newer age-plugin-\(name); the keychain is as it was", status: .keychain)
    case .reported(let message):
      self.init("the age plugin \(name) says: \(message)", hint: retry, status: .keychain)
    }
  }

  private init(missing path: String) {
    if path.hasSuffix("/vault.age") {
      let hasStates =
        (try? VaultLocation()).map {
          $0.vaultFile == path && (try? EncryptedFileKeychain(at: $0).generations())?.isEmpty == false
        } ?? false
      let back =
        hasStates
        ? "put it back, or with 'llavero vault restore' a state that 'llavero vault log' lists"
        : "put it back, or mount the disk that it is on"
      self.init(
        "the keychain \(path) is missing, though there was one",
        hint:
          "\(back); if it moved, set XDG_DATA_HOME; to begin without it, type 'llavero init --start-over'",
        status: .keychain)
    } else if !path.hasSuffix("/identity.txt") {
      self.init("\(path) leads to nothing", hint: "put back what the link leads to", status: .keychain)
    } else {
      self.init(
        "the identity \(path) is missing, without which the keychain can't be opened",
        hint: "put it back from a backup", status: .keychain)
    }
  }

  private init(elsewhere path: String, known: String) {
    guard FileStatus.isThere(known) else {
      self.init(
        "the keychain \(known) is missing, though there was one; nor is there one at \(path)",
        hint: "put it back, or to the second place if it moved there; to begin without it, type "
          + "'llavero init --start-over'", status: .keychain)
      return
    }
    let end = "/llavero/vault.age"
    let folder = known.hasSuffix(end) ? known.dropLast(end.count) : "its folder's"
    self.init(
      "there is no keychain at \(path); the one that is in use is \(known)",
      hint: "set XDG_DATA_HOME to \(folder); to have another one, set XDG_STATE_HOME to another folder, too",
      status: .keychain)
  }

  /// The one place where a protocol's error becomes text.
  package init(_ error: ProtocolError) {
    switch error {
    case .lineWithoutEqualsSign(let line):
      self.init("line \(line) of the request has no '='", status: .usage)
    case .lineWithNUL(let line):
      self.init("line \(line) of the request has a NUL byte in it", status: .usage)
    case .carriageReturn(let key):
      self.init(
        "the value of '\(key)' has a carriage return in it", hint: "end lines with a line feed alone",
        status: .usage)
    case .lineTooLong(let line, let limit):
      self.init("line \(line) of the request is longer than \(limit) bytes", status: .usage)
    case .requestTooLong(let limit):
      self.init("the request is longer than \(limit) bytes", status: .usage)
    case .unfinishedLine(let line):
      self.init(
        "the request ends in the middle of line \(line)", hint: "end each line with a line feed",
        status: .usage)
    case .unusableValue(let key):
      self.init("the value of '\(key)' can't be understood", status: .usage)
    case .unusableURL(.noScheme):
      self.init("the URL does not begin with a scheme like https://", status: .usage)
    case .unusableURL(.badEscape):
      self.init("the URL has a '%' that is not followed by two hexadecimal digits", status: .usage)
    case .unusableURL(.lineBreak):
      self.init("the URL has a line break or a NUL byte in it", status: .usage)
    case .unusableURL(.badHost):
      self.init("the URL's host or port can't be understood", status: .usage)
    case .unusableReference(let line):
      self.init(
        line.map { "line \($0) has a reference that can't be understood" }
          ?? "the reference can't be understood",
        hint: Self.references, status: .usage)
    case .unusableVariable(let line):
      self.init("line \(line) is not NAME=VALUE", status: .usage)
    case .quotedReference(let line):
      self.init(
        "line \(line) has a reference in quotes", hint: "leave the quotes out, for they are part of a value",
        status: .usage)
    case .unspeakableAnswer(let key):
      self.init(
        "the item's \(key) can't be said in this protocol",
        hint: "it holds a line break, or is too long; see it with 'llavero get --json --secret'",
        status: .keychain)
    case .input(let errno):
      self.init("cannot read the request: \(errorText(errno))", status: .usage)
    case .keychain(let error):
      self.init(error)
    case .refused(let refusal):
      let status: Status =
        switch refusal.cause {
        case .nothingMatched: .nothingMatched
        case .keychain: .keychain
        case .usage: .usage
        }
      self.init(refusal.message, hint: refusal.hint, status: status)
    }
  }

  /// What a reference to a secret looks like.
  package static let references =
    "there are llavero://SERVICE/ACCOUNT and llavero+https://USER@HOST/PATH; see llavero-run(1)"

  /// The same, for a tool's protocol.
  package var refusal: Refusal {
    let cause: Refusal.Cause =
      switch status {
      case .done, .nothingMatched: .nothingMatched
      case .keychain: .keychain
      case .usage: .usage
      }
    return Refusal(terminalText(message), hint: hint.map(terminalText), cause)
  }
}

/// A time in milliseconds, in words.
private func seconds(_ milliseconds: Int) -> String {
  if milliseconds == 1000 { return "a second" }
  if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) seconds" }
  return "\(milliseconds) milliseconds"
}

/// Turns the error of an expression into a ``Failure``. An expression needs no note of what it throws, as a closure does.
package func explaining<Result: ~Copyable>(
  _ expression: @autoclosure () throws(KeychainError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

/// The same for what finds out which keychain is used.
package func explaining<Result: ~Copyable>(
  choice expression: @autoclosure () throws(KeychainChoiceError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

/// The same for what speaks a tool's protocol.
package func explaining<Result: ~Copyable>(
  call expression: @autoclosure () throws(ProtocolError) -> Result
) throws(Failure) -> Result {
  do { return try expression() } catch { throw Failure(error) }
}

/// The same for what takes more than an expression.
package func explaining<Result: ~Copyable>(_ body: () throws(KeychainError) -> Result) throws(Failure)
  -> Result
{
  do { return try body() } catch { throw Failure(error) }
}

/// The same for what takes more than an expression.
package func explaining<Result: ~Copyable>(
  _ body: () throws(KeychainChoiceError) -> Result
) throws(Failure) -> Result {
  do { return try body() } catch { throw Failure(error) }
}

/// The same for what takes more than an expression.
package func explaining<Result: ~Copyable>(_ body: () throws(ProtocolError) -> Result) throws(Failure)
  -> Result
{
  do { return try body() } catch { throw Failure(error) }
}
