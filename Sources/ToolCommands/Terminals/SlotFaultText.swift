import EncryptedFile
import Keychain

extension Failure {
  init(_ fault: KeychainError.SlotFault) {
    switch fault {
    case .notFound(let id):
      self.init(
        "the keychain has no slot '\(id)'", hint: "see which it has with 'llavero slot list'",
        status: .nothingMatched)
    case .alreadyThere(let id):
      self.init("the keychain has that slot already: \(id)", status: .nothingMatched)
    case .nothingElseOpens:
      self.init(
        "nothing else opens the keychain on this machine; nothing was changed",
        hint: """
          say which file opens it with 'llavero slot add recipient KEY --identity FILE', or add a passphrase or a \
          recovery code first
          """, status: .keychain)
    case .lastWayIn(let id):
      self.init(
        "'\(id)' is the only way to open this keychain",
        hint: id == SlotSummary.identityFileID
          ? "add another one first, with 'llavero slot add'; if it leaked, 'llavero rotate' alone replaces it"
          : "add another one first, with 'llavero slot add'", status: .keychain)
    case .tooMany(let limit):
      self.init(
        "the keychain has \(limit) slots, and can have no more",
        hint: "remove one with 'llavero slot remove'",
        status: .keychain)
    case .malformedRecipient:
      self.init(
        "that is not a recipient that llavero can use",
        hint: "use age1..., as age-keygen prints it, or the line of a public key: ssh-ed25519 ...",
        status: .usage)
    case .notItsIdentity(let path):
      self.init(
        "\(path) does not hold the identity of that recipient; nothing was changed", status: .keychain)
    case .noIdentity(let path, true):
      self.init(
        "the key \(path) has a passphrase, for which nobody is asked here",
        hint: """
          if the keychain has a passphrase, 'llavero unlock' asks for that; otherwise use a key without one, such as \
          'age-keygen' makes
          """, status: .keychain)
    case .noIdentity(let path, false):
      let way: Hint =
        VaultOfError.identified(by: path).map { Self.wayWithoutIdentity(of: $0) }
        ?? "use an age identity, or an ssh key of the kind ed25519"
      self.init("\(path) holds no identity that llavero can use", hint: way, status: .keychain)
    case .commandFailed(let program):
      self.init(
        "the program '\(program)' gave no passphrase",
        hint: "it has to print it within a minute, and to end with status 0", status: .keychain)
    case .commandMismatch(let id):
      self.init(
        "the program of slot \(id) doesn't print that slot's passphrase",
        hint: "if it was changed, remove the slot and add it again", status: .keychain)
    case .pluginFailed(let name, let fault):
      self.init(plugin: name, fault)
    case .secretMissing(let id):
      self.init(
        "the passphrase of slot \(id) was not given; nothing was changed",
        hint:
          "type it on a terminal, or give it with --passphrase-fd; if nobody has it any more, drop the slot with --drop \(words: id)",
        status: .keychain)
    case .secretMismatch(let id):
      self.init(
        "that is not the passphrase of slot \(id); nothing was changed",
        hint: "drop the slot with --drop \(words: id), if nobody has it any more", status: .keychain)
    case .notRenewable(let id, let kind):
      self.init(
        "slot \(id) of the kind \(kind) can't be renewed on this machine; nothing was changed",
        hint: "drop it with --drop \(words: id), and add it again where it can be opened", status: .keychain)
    case .renewalOpensNothing(let id, let plugin):
      self.init(
        "the age plugin \(plugin) can't open the new key that it wrapped for slot \(id); nothing was changed",
        hint: """
          see whether there is another version of age-plugin-\(prose: plugin), or drop the slot with --drop \
          \(words: id)
          """, status: .keychain)
    case .passphraseNeeded(let path):
      self.init(
        "the keychain \(path) is unlocked, but changing its slots takes its passphrase, and \(NobodyAsked.text)",
        hint: "give it with --passphrase-fd, or by LLAVERO_PASSPHRASE_COMMAND; see llavero-passphrase(1)",
        status: .keychain)
    case .changedMeanwhile:
      self.init(
        "another process has changed the keychain in the meantime; nothing was changed",
        hint: "run this again", status: .keychain)
    case .unconfirmed:
      self.init(
        "nobody has confirmed which slots may open the keychain again; nothing was changed",
        hint: "see them with 'llavero vault restore'", status: .keychain)
    case .passphraseLikeCode:
      self.init(
        "that passphrase could be taken for a recovery code", hint: "use another one", status: .usage)
    case .otherIdentityFile(let path):
      self.init(
        "\(path) is the key file of another keychain", hint: "move it away first", status: .keychain)
    }
  }

  private init(plugin name: String, _ fault: KeychainError.PluginFault) {
    let retry: Hint = "plug in what it works with, and try again; the keychain is as it was"
    switch fault {
    case .notFound:
      self.init(
        "the age plugin \(name) is missing: there is no program age-plugin-\(name)",
        hint: "install it, or name its folder in PATH; the keychain is as it was", status: .keychain)
    case .notStarted(let errno):
      self.init(
        "the age plugin \(name) can't be started: \(errorText(errno))",
        hint: "see what is wrong with the program age-plugin-\(prose: name); the keychain is as it was",
        status: .keychain)
    case .ended:
      self.init("the age plugin \(name) ended before it was done", hint: retry, status: .keychain)
    case .timedOut:
      self.init("the age plugin \(name) took too long", hint: retry, status: .keychain)
    case .wrongKey:
      self.init(
        "the age plugin \(name) gave a key that isn't the slot's; the keychain is unchanged",
        hint: "try it again, or open the keychain in another way; see 'llavero slot list'", status: .keychain)
    case .brokeProtocol:
      self.init(
        "the age plugin \(name) does not keep to the protocol of age's plugins",
        hint: "see whether there is a newer age-plugin-\(prose: name); the keychain is as it was",
        status: .keychain)
    case .reported(let message):
      self.init("the age plugin \(name) says: \(message)", hint: retry, status: .keychain)
    }
  }
}
