import Bytes
import EncryptedFile
import Glibc
package import Keychain
import KeychainChoice

extension Failure {
  /// Describes an error of a keychain. This is the only place that turns these errors into text.
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
    case .unusableAttribute(let name, .controlCharacter):
      self.init("the \(name) has an invisible character in it", status: .usage)
    case .unusableAttribute(let name, .tooLong(let limit)):
      self.init("the \(name) is longer than \(limit) bytes", status: .usage)
    case .unusableAttribute(let name, .empty):
      self.init("the \(name) is empty", status: .usage)
    case .unusableAttribute(let name, .notText):
      self.init("the \(name) is not UTF-8 text", status: .keychain)
    case .duplicateItem:
      self.init(
        "the item exists already", hint: "change it with 'llavero update'", status: .nothingMatched)
    case .itemNotFound:
      self.init("the item is gone", status: .nothingMatched)
    case .sharedItem(let keychain):
      self.init(
        "the item is in the keychain \(keychain), which others use, too",
        hint: "with \(command: "--keychain", keychain) you change it for all of them", status: .usage)
    case .locked(let path):
      if let vault = VaultOfError({ $0.vaultFile == path }), vault.lacksKeyFile {
        self.init(lackingKeyFile: vault)
        return
      }
      self.init(
        "the keychain \(path) is locked, and \(NobodyAsked.text) for its passphrase",
        hint:
          """
          \(NobodyAsked.asking(by: .unlocking(path))), or give the passphrase with \
          --passphrase-fd, or by LLAVERO_PASSPHRASE_COMMAND; see llavero-passphrase(1)
          """,
        status: .keychain)
    case .promptDismissed:
      self.init("no passphrase was given", status: .keychain)
    case .wrongPassphrase(let keyring) where !keyring.hasPrefix("/"):
      self.init("that password does not open the keyring \(keyring)", status: .keychain)
    case .wrongPassphrase(let path):
      self.init(wrongPassphraseOf: path)
    case .wrongPassphraseGiven(let giver, let path):
      let hint: Hint =
        switch giver {
        case PassphraseCommand.name: "mend what the command in \(prose: PassphraseCommand.variable) prints"
        case SystemdCredential.name: "mend the credential that LoadCredential=llavero:FILE gives"
        default: "check what comes through it"
        }
      self.init(
        "the passphrase from \(giver) does not open the keychain \(path)", hint: hint, status: .keychain)
    case .mistypedRecoveryCode(let groups):
      let place = groups.map(String.init).joined(separator: " or ")
      self.init(
        "that recovery code has a typing error" + (groups.isEmpty ? "" : ", probably in group \(place)"),
        hint: "it has seven groups of four letters and digits", status: .keychain)
    case .noSlotOpens(let path):
      self.init(nothingOpens: path)
    case .notMember(let keychain, let recipient, let label, true):
      self.init(
        "the keychain \(keychain) is locked: nothing here opens its repository any more",
        hint: .ofFormerMember(of: keychain, recipient, label), status: .keychain)
    case .notMember(let keychain, let recipient, let label, false):
      self.init(
        "you aren't a member of the keychain \(keychain)",
        hint: .ofNewMember(of: keychain, recipient, label), status: .keychain)
    case .slot(let fault):
      self.init(fault)
    case .collectionLocked(let name):
      let words = ["llavero", "unlock"] + (name == "login" ? [] : ["--collection", name])
      let condition: Hint = NobodyAsked.variable.map { ", without \(prose: $0)" } ?? ""
      self.init(
        "the collection '\(name)' of the Secret Service is locked",
        hint: "unlock it with \(commandOf: words)\(condition)", status: .keychain)
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
      let hint: Hint? =
        if reason.hasPrefix(KeychainError.noSessionBus) {
          "begin a shell that has one with 'dbus-run-session -- bash'"
        } else if reason.hasPrefix("HOME is not") {
          "set HOME to your home folder, or XDG_DATA_HOME and XDG_STATE_HOME to folders of this job's own"
        } else {
          nil
        }
      // Its bus says nothing of any other keychain, which may be the one in use.
      let isOfService = ["session bus", "the bus address", "the Secret Service"].contains {
        reason.hasPart($0)
      }
      let what = isOfService ? "the Secret Service" : "the keychain"
      self.init("\(what) can't be used: \(reason)", hint: hint, status: .keychain)
    case .noKeychain(let name):
      let own = KeychainKind.builtInNames.joined(separator: ", ")
      self.init(
        "there is no keychain '\(name)'",
        hint: "use \(prose: own), or one that 'llavero keychain list' shows", status: .usage)
    case .unsafeFile(let path, let fault):
      self.init(path, fault)
    case .missing(let path):
      self.init(missing: path)
    case .elsewhere(let path, let known):
      self.init(elsewhere: path, known: known)
    case .wrongIdentity(let path):
      self.init(wrongIdentity: path)
    case .otherKey(let path):
      let file = (try? VaultLocation())?.identityFile
      let appending: Hint = file.map { "append that machine's key file to \(words: $0), or " } ?? ""
      self.init(
        "cannot merge \(path): it is encrypted for another key, because the keychain was rotated, there or here",
        hint: "nothing was changed; \(appending)add a slot there that opens here, and merge again",
        status: .keychain)
    case .damaged(let path, let detail):
      self.init(damaged: path, detail)
    case .rolledBack(let path, let generation, let seen):
      self.init(rolledBack: path, generation: generation, seen: seen)
    case .replaced(let path, let former):
      let puttingBack: Hint =
        former.map { "put yours back: move this one away and copy \(words: $0) to \(words: path)" }
        ?? "put yours back"
      self.init(
        "the keychain \(path) is not the one that was there before",
        hint:
          "\(puttingBack); if this one is yours too, say so with \(VaultOfError.command("vault", "accept", at: path))",
        status: .keychain)
    case .newerFormat(let path, let version):
      self.init(
        "the keychain \(path) is of format \(version), which is newer than this program",
        hint: "install a newer llavero", status: .keychain)
    case .tooLarge(let what, let limit):
      let isGiven = what == "the secret" || what == "the item"
      let makingRoom: Hint? =
        what == "the keychain"
        ? "make room: delete what you no longer need, then run 'llavero vault compact'" : nil
      self.init(
        "\(what) is larger than \(limit) bytes", hint: makingRoom, status: isGiven ? .usage : .keychain)
    case .notEnoughMemory(let needed, let available):
      self.init(
        "unlocking takes \(needed) MiB of memory, and \(available) MiB are free", status: .keychain)
    case .busy(let path, let seconds):
      self.init(
        "gave up: another process has held \(path) for \(seconds) seconds; nothing was changed",
        hint: "see who with \(command: "fuser", path)", status: .keychain)
    case .unmerged(let path):
      self.init(
        "\(path) was never merged into the keychain, and would be lost; nothing was changed",
        hint: "merge it with \(.merging(path)), or move it away first",
        status: .keychain)
    case .copyLeftOut(let path, let reason):
      self.init(
        "items that only \(path) has are missing, because that copy can't be merged: \(Failure(reason).message)",
        hint: "\(.merging(path)) merges it, or says why not; if you don't need it, move it away",
        status: .keychain)
    case .mergedInstead:
      self.init(
        "another copy of the keychain was merged first; nothing was forgotten",
        hint: "see what the merge replaced with 'llavero undelete --list', then run the same command again",
        status: .keychain)
    case .earlierStatesRemain(let reason):
      self.init(
        "the change is made, but earlier states of the keychain remain: \(Failure(reason).message)",
        hint: "run the same command again to remove them", status: .keychain)
    case .system(let operation, let path, let errno):
      self.init("cannot \(operation) \(path): \(errorText(errno))", status: .keychain)
    case .fault(let fault):
      self = fault.failure
    case .described(let failure):
      self = failure
    }
  }

  private init(_ path: String, _ fault: KeychainError.FileFault) {
    switch fault {
    case .owner(let uid) where geteuid() == 0 && path == VaultLocation.environmentVariable("HOME"):
      self.init(
        "root makes no keychain in \(path), the home folder of another user (uid \(uid))",
        hint: "with sudo, add -H to use root's own home; or run this as that user",
        status: .keychain)
    case .owner(let uid):
      self.init(
        "\(path) belongs to another user (uid \(uid)) and is not used",
        hint: "run this as that user, or give the file back with chown", status: .keychain)
    case .mode(let mode):
      self.init(
        "\(path) can be used by others (mode \(String(mode, radix: 8))) and is not used",
        hint: "\(words: "chmod", "go=", path)", status: .keychain)
    case .symbolicLink:
      self.init(
        "\(path) is a symbolic link and is not used",
        hint: "put the file itself there; its folder may be a link", status: .keychain)
    case .wrongKind:
      self.init("\(path) is not the plain file or folder that belongs there", status: .keychain)
    }
  }
}

/// A time in milliseconds, in words.
private func seconds(_ milliseconds: Int) -> String {
  if milliseconds == 1000 { return "a second" }
  if milliseconds % 1000 == 0 { return "\(milliseconds / 1000) seconds" }
  return "\(milliseconds) milliseconds"
}

extension Hint {
  /// How a person who isn't a member yet can become one through a member.
  ///
  /// - Parameters:
  ///   - recipient: in age's notation, or a line of an ssh public key; `nil` if it isn't known.
  ///   - label: the name under which members see the person.
  package static func ofNewMember(of keychain: String, _ recipient: String?, _ label: String?) -> Hint {
    guard let recipient else {
      return "a member has to add your key; then run \(command: "llavero", "sync", keychain)"
    }
    let words = ["llavero", "keychain", "member", "add", keychain, recipient]
    let named = words + (label.map { ["--label", $0] } ?? [])
    return "a member has to type \(commandOf: named); then run \(command: "llavero", "sync", keychain)"
  }

  /// How a former user of a shared keychain gets in again. If the others have removed them, putting their own state
  /// back would only lock out the others, who would do the same.
  ///
  /// - Parameters: as for ``ofNewMember(of:_:_:)``.
  package static func ofFormerMember(of keychain: String, _ recipient: String?, _ label: String?) -> Hint {
    """
    ask the others; to let you in again, \(ofNewMember(of: keychain, recipient, label)); only if they haven't removed \
    you, somebody has put another keychain in its place, and \
    \(command: "llavero", "sync", keychain, "--accept-rewritten") puts yours back
    """
  }
}
