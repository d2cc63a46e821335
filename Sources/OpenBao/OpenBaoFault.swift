package import Bytes
package import Keychain

/// A keychain in OpenBao or HashiCorp Vault can't be used, or didn't do what was asked.
package struct OpenBaoFault: KeychainFault {
  /// The server's address.
  package let server: String
  package let reason: Reason
  /// The name of the person's own keychain, which has the server's logins; `nil` if commands use that one anyway.
  package let keychainOfLogins: String?

  package init(server: String, _ reason: Reason, loginsIn keychain: String? = nil) {
    (self.server, self.reason, keychainOfLogins) = (server, reason, keychain)
  }

  package var kind: KeychainError.Kind {
    switch reason {
    case .forbidden: .forbidden
    case .noLogin, .nobodyLoggedIn, .tokenRefused, .loginRefused: .notLetIn
    case .noMount: .noKeychain
    case .notVersion2, .foreignItem: .damaged
    case .unreachable, .unsafeConnection, .noAnswer, .silent, .sealed, .uninitialised, .noActiveNode,
      .failed, .rateLimited, .redirected, .changed, .notUnderstood, .tooMuch, .tooLong,
      .noNetworkProgram, .copyTooOld:
      .unavailable
    }
  }
}

extension KeychainError {
  /// A keychain in OpenBao or Vault, at the address `server`, can't be used or can't do this.
  package static func openBao(server: String, _ reason: OpenBaoFault.Reason) -> KeychainError {
    KeychainError(OpenBaoFault(server: server, reason))
  }

  /// Why a keychain in OpenBao or Vault failed, if one did.
  package var ofOpenBao: OpenBaoFault.Reason? { fault(OpenBaoFault.self)?.reason }
}

extension OpenBaoFault {
  /// Why a keychain in OpenBao or HashiCorp Vault can't be used, or didn't do what was asked.
  package enum Reason: Hashable, Sendable {
    /// None of its addresses can be reached; the reason of the last one follows "because".
    case unreachable(String)
    /// The connection isn't safe, for example because nobody vouches for the certificate.
    case unsafeConnection(String)
    /// It has not answered in time.
    case noAnswer(milliseconds: Int)
    /// It hasn't answered for so many seconds, and isn't asked again yet.
    case silent(seconds: Int)
    /// It is sealed: it has no key to its own data.
    case sealed
    /// It has never been initialised.
    case uninitialised
    /// It has no active node at present.
    case noActiveNode
    /// It, or a gateway in front of it, has failed, with this status.
    case failed(status: Int)
    /// It asked to wait, and still does after this time.
    case rateLimited(seconds: Int)
    /// It redirects to a server that the keychain doesn't list.
    case redirected(to: String)
    /// Nothing here logs in: there is no token, or `needed`, which the login method takes, is missing. One's own
    /// keychain would have it for this URL and account; without an account, it has to come from elsewhere.
    case noLogin(needed: String, url: String, account: ByteString?)
    /// The login needs a person, and nobody has logged in, or too long ago.
    case nobodyLoggedIn
    /// It refuses this method's login.
    case loginRefused(method: String)
    /// It doesn't, or no longer, know the token. One's own keychain has it for this URL and account; without an
    /// account, it came from elsewhere.
    case tokenRefused(url: String, account: ByteString?)
    /// Its policies don't allow this at the path.
    case forbidden(Access, path: String)
    /// It has no secrets engine at this mount, or no such namespace.
    case noMount(String)
    /// The secrets engine at this mount is not version 2 of the key-value store.
    case notVersion2(mount: String)
    /// The path holds something that is not an item of llavero's.
    case foreignItem(path: String)
    /// Others keep changing the same item.
    case changed(path: String)
    /// Its reply can't be understood.
    case notUnderstood(status: Int)
    /// It has more than is read for one question: `what`, in the plural, and their greatest number.
    case tooMuch(what: String, limit: Int)
    /// After so long, there was still more to read.
    case tooLong(seconds: Int)
    /// The program that has the network isn't installed, can't be started, or is switched off.
    case noNetworkProgram
    /// The copy on this machine is too old, in seconds, to answer, and this is why there is no newer one.
    indirect case copyTooOld(seconds: Int, because: Reason)

    /// An operation that policies allow or don't.
    package enum Access: Hashable, Sendable {
      /// Reading an item.
      case reading
      /// Listing a folder.
      case listing
      /// Adding or changing an item.
      case writing
      /// Deleting an item.
      case deleting
      /// Bringing a deleted item back.
      case undeleting
    }
  }
}

extension OpenBaoFault {
  package var failure: Failure {
    func failure(_ message: String, _ hint: Hint? = nil) -> Failure {
      Failure(message, hint: hint, status: .keychain)
    }
    return
      switch reason
    {
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
      noLogin(needed, url, account)
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
        \(commandOf: ["llavero", "get", "--domain", "openbao", server] + ownKeychain)
        """
      )
    case .tokenRefused(let url, let account?):
      failure(
        "\(server) refuses the token: it has expired, was revoked, or is another server's",
        "store another one with \(commandOf: storing(url, account, "--update"))"
      )
    case .tokenRefused(_, nil):
      failure(
        "\(server) refuses the token: it has expired, was revoked, or is another server's",
        "log in again, with 'bao login', or with 'llavero login --keychain NAME' if the keychain's login is oidc"
      )
    case .forbidden(let access, let path):
      forbidden(access, path)
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
      tooOld(seconds, OpenBaoFault(server: server, reason, loginsIn: keychainOfLogins).failure)
    }
  }

  private func noLogin(_ needed: String, _ url: String, _ account: ByteString?) -> Failure {
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

  private func forbidden(_ access: Reason.Access, _ path: String) -> Failure {
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
  private func storing(_ url: String, _ account: ByteString, _ options: String...)
    -> [any CustomStringConvertible]
  {
    ["llavero", "add"] + options + ["--domain", "openbao", url, "--account", account] + ownKeychain
  }

  /// The option that names the person's own keychain; empty if commands use that one anyway.
  private var ownKeychain: [any CustomStringConvertible] {
    keychainOfLogins.map { ["--keychain", $0] } ?? []
  }

  private func tooOld(_ seconds: Int, _ reason: Failure) -> Failure {
    Failure(
      "the copy of the item on this machine is \(seconds) seconds old, and too old to answer: \(reason.message)",
      hint: reason.hint, status: .keychain)
  }
}
