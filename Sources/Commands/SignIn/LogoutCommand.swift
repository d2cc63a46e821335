import ArgumentParser
import EncryptedFile
import Keychain
import KeychainChoice
import Renewing
import SignIn
import Terminals
import ToolCommands

/// `llavero logout`
struct LogoutCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Forget a token, and have the service forget it too",
    discussion: """
      Where the service offers it, the token is revoked there first, so that nobody can use a copy of it. Where it \
      doesn't, the token is only deleted here, and you are told. Nothing is asked, and a password that you typed is \
      deleted likewise.

        llavero logout https://gitlab.example.com
        llavero logout https://gitlab.example.com --account alice --no-revoke
      """)

  @OptionGroup var place: PlaceOptions

  @Flag(help: "Only delete the token here; the service isn't asked")
  var noRevoke = false

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if place.service != nil { throw ValidationError("Name a URL: nobody signs in to a service without one.") }
  }

  func run() throws {
    let open = try self.keychain.open()
    let keychain = open.keychain
    let item = try place.item(in: keychain)
    guard case .internetPassword(let key) = item.key else { return }
    var isRevoked = false
    let credential = try explaining { () throws(KeychainError) in try keychain.credential(of: item) }
    guard credential.hasRefreshToken || item.itemDescription == SigningIn.tokenDescription else {
      throw Failure(
        "what the keychain has for \(item.name) is no token that somebody signed in for",
        hint: "\(command: "llavero", "delete", place.url ?? "") deletes it", status: .usage)
    }
    if !noRevoke {
      isRevoked = try revoke(credential, of: key, in: open)
    }
    _ = try explaining(keychain.delete([item]))
    try forgetClient(of: key, in: keychain)
    if output.json { try StandardStreams.write(ItemOutput.json([item])) }
    if isRevoked {
      StandardStreams.say("the token for \(item.name) is revoked, and deleted here")
    } else {
      StandardStreams.say(
        "the token for \(item.name) is deleted here; whoever has a copy can use it until it expires")
    }
  }

  private func revoke(
    _ credential: borrowing Credential, of key: InternetPassword, in open: OpenKeychain
  ) throws(Failure) -> Bool {
    // A password that nobody signed in for is no token.
    guard let signingIn = SigningIn(stateFolder: open.location.stateFolder) else { return false }
    let copy = credential.copy()
    let outcome = try explaining { () throws(KeychainError) in
      try signingIn.revoke(copy, of: key, in: open.keychain)
    }
    switch consume outcome {
    case .done: return true
    case .failed(let message, _, _):
      throw Failure(
        "the token was not revoked, and is still kept: \(message)",
        hint: "with --no-revoke it is only deleted here", status: .keychain)
    default: return false
    }
  }

  /// Forgets who llavero was there, once no token needs it.
  private func forgetClient(of key: InternetPassword, in keychain: any KeychainStore) throws(Failure) {
    guard let address = key.url().flatMap({ SignInPlace($0) }) else { return }
    try explaining { () throws(KeychainError) in
      let query = try InternetPasswordQuery(protocol: key.protocol, server: key.server, port: key.port)
      for item in try keychain.items(matching: .internetPassword(query)) {
        if try keychain.credential(of: item).hasRefreshToken { return }
      }
      try KeptClient.forget(address.server.origin, in: keychain)
    }
  }
}
