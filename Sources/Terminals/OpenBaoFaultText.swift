import Bytes
import CredentialProtocols
import EncryptedFile
import Keychain
import KeychainChoice

extension Failure {
  /// - Parameter server: the server's address.
  init(_ fault: KeychainError.OpenBaoFault, at server: String) {
    func failure(_ message: String, _ hint: Hint? = nil) -> Failure {
      Failure(message, hint: hint, status: .keychain)
    }
    self =
      switch fault {
      case .unreachable(let reason):
        failure(
          "\(server) can't be reached, because \(reason)", "see whether the server runs, and its address")
      case .unsafeConnection(let reason):
        failure(
          "the connection to \(server) isn't safe: \(reason)",
          "name the file of its certificate authority with the keychain's option 'ca', or with VAULT_CACERT")
      case .noAnswer(let milliseconds):
        failure("\(server) has not answered within \(milliseconds) milliseconds", "try again later")
      case .silent(let seconds):
        failure(
          "\(server) did not answer \(seconds > 1 ? "\(seconds) seconds" : "a moment") ago, and is not asked again yet",
          "with --keychain and the keychain's name, it is asked at once")
      case .sealed:
        failure("\(server) is sealed: it has no key to its data", "its operator has to unseal it")
      case .uninitialised:
        failure("\(server) has never been initialised", "its operator has to run 'bao operator init'")
      case .noActiveNode: failure("\(server) has no active node at present", "try again in a moment")
      case .failed(let status):
        failure(
          "\(server) has failed (status \(status))",
          "try again in a moment; if it goes on, its log, or that of a gateway in front of it, says why")
      case .rateLimited(let seconds):
        failure(
          "\(server) has limited the rate of requests, also after \(seconds) seconds", "try again later")
      case .redirected(let other):
        failure(
          "\(server) leads to \(other), which the keychain doesn't list",
          "if that is one of its nodes, add it with the keychain's option 'address'")
      case .noLogin(let needed, let url, let account):
        Self.noLogin(needed, at: server, url, account)
      case .nobodyLoggedIn:
        failure(
          "nobody has logged in to \(server), or the login has expired",
          "log in with 'llavero login --keychain NAME', with the keychain's name")
      case .loginRefused("oidc"):
        failure(
          "\(server) refuses the login by oidc",
          "its operator can see whether the role is there, for you, and for the address that the browser comes back to"
        )
      case .loginRefused("kubernetes"):
        failure(
          "\(server) refuses the login by kubernetes",
          "its operator can see whether the role is there, and for this service account, namespace and audience"
        )
      case .loginRefused("jwt"):
        failure(
          "\(server) refuses the login by jwt",
          """
          see whether the JWT is still valid; its operator can see whether the role is there, and for the JWT's \
          audience and claims
          """
        )
      case .loginRefused("cert"):
        failure(
          "\(server) refuses the login by cert",
          """
          see whether the certificate of the keychain's option 'cert' is still valid; its operator can see whether \
          it, or its authority, is registered, and what it is bound to
          """
        )
      case .loginRefused(let method):
        failure(
          "\(server) refuses the login by \(method)",
          """
          see whether what is stored for it is still valid: \
          \(commandOf: ["llavero", "get", "--domain", "openbao", server] + Self.ownKeychain)
          """
        )
      case .tokenRefused(let url, let account?):
        failure(
          "\(server) refuses the token: it has expired, was revoked, or is another server's",
          "store another one with \(commandOf: Self.storing(url, account, "--update"))"
        )
      case .tokenRefused(_, nil):
        failure(
          "\(server) refuses the token: it has expired, was revoked, or is another server's",
          "log in again, with 'bao login', or with 'llavero login --keychain NAME' if the keychain's login is oidc"
        )
      case .forbidden(let access, let path):
        Self.forbidden(access, path, server)
      case .noMount(let mount):
        failure(
          "\(server) has no secrets engine at \(mount)",
          "see the keychain's options 'mount' and 'namespace'")
      case .notVersion2(let mount):
        failure(
          "the secrets engine of \(server) at \(mount) is not version 2 of the key-value store, which keeps versions",
          "its operator can upgrade it with \(command: "bao", "kv", "enable-versioning", mount)")
      case .foreignItem(let path):
        failure(
          "the record at \(path) on \(server) is not an item of llavero's",
          "it stays as it is; choose another account or path, or have its owner move it")
      case .changed(let path):
        failure("gave up: others keep changing \(path) at \(server)", "try again")
      case .notUnderstood(let status):
        failure(
          "the reply of \(server) can't be understood (status \(status))",
          "see whether it is an OpenBao or Vault server, and its log")
      case .tooMuch(let what, let limit):
        failure(
          "\(server) was not read to its end: it has more than \(limit) \(what)",
          "ask for one place, or give the keychain a folder of its own with its option 'prefix'")
      case .tooLong(let seconds):
        failure(
          "\(server) was not read to its end within \(seconds) seconds",
          "ask for one place and account; its operator can see why its answers take so long")
      case .noNetworkProgram:
        failure(
          "\(server) can't be asked: there is no program for the network",
          "install the package llavero-network, and unset LLAVERO_NETWORK")
      case .copyTooOld(let seconds, let reason):
        Self.tooOld(seconds, Failure(reason, at: server))
      }
  }

  private static func noLogin(
    _ needed: String, at server: String, _ url: String, _ account: ByteString?
  ) -> Failure {
    let message = "nothing here logs in to \(server): there is no \(needed)"
    guard let account else {
      return Failure(
        message,
        hint: """
          have it put there, or name another place with the keychain's option 'token-from' or 'jwt-file'; see \
          llavero-openbao(7)
          """,
        status: .keychain)
    }
    let store: Hint = "store it with \(commandOf: storing(url, account))"
    let isToken = account == "token" || account.bytes.starts(with: "token/".utf8)
    return Failure(
      message,
      hint: isToken
        ? "\(store); a token of 'bao login' counts if BAO_ADDR is \(prose: server), or with the option 'token-from'"
        : store, status: .keychain)
  }

  private static func forbidden(
    _ access: KeychainError.OpenBaoFault.Access, _ path: String, _ server: String
  ) -> Failure {
    let (what, capability): (String, String) =
      switch access {
      case .reading: ("read", "'read'")
      case .listing: ("list the folder", "'list'")
      case .writing: ("write to", "'create' and 'update'")
      case .deleting: ("delete", "'update'")
      case .undeleting: ("undelete", "'update'")
      }
    return Failure(
      "the policies of \(server) don't let you \(what) \(path)",
      hint: "ask the author of its policies; yours would need \(prose: capability) at that path",
      status: .keychain)
  }

  /// The command that stores a login where it is looked up.
  private static func storing(_ url: String, _ account: ByteString, _ options: String...)
    -> [any CustomStringConvertible]
  {
    ["llavero", "add"] + options + ["--domain", "openbao", url, "--account", account] + ownKeychain
  }

  /// The option that names the person's own keychain; empty if commands use that one anyway.
  private static var ownKeychain: [any CustomStringConvertible] {
    guard let location = try? VaultLocation(),
      let used = (try? KeychainChoice.made(named: nil, at: location)) ?? nil
    else { return [] }
    let own = KeychainChoice.personal(at: location).name
    return used.name == own ? [] : ["--keychain", own]
  }

  private static func tooOld(_ seconds: Int, _ reason: Failure) -> Failure {
    Failure(
      "the copy of the item on this machine is \(seconds) seconds old, and too old to answer: \(reason.message)",
      hint: reason.hint, status: .keychain)
  }
}
