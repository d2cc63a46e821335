package import Bytes

package enum LoginMethod: Equatable, Sendable {
  /// With an existing token; the one with this name, if there are several for a server.
  case token(name: ByteString?)
  /// As a role, with the identifier of a secret.
  case appRole(mount: String, role: ByteString)
  case userPassword(mount: String, name: ByteString)
  /// As a role, with a signed token of another service (JWT, OpenID Connect).
  case jwt(mount: String, role: ByteString)
  /// As a role, with the token of a service account of Kubernetes.
  case kubernetes(mount: String, role: ByteString)
  /// With the certificate of the connection.
  case certificate(mount: String, name: ByteString?)

  /// By signing in at another service, with a browser that comes back to this port (OpenID Connect).
  case oidc(mount: String, role: ByteString?, port: UInt16)

  /// The method's name in the settings.
  package var word: String {
    switch self {
    case .token: "token"
    case .appRole: "approle"
    case .userPassword: "userpass"
    case .jwt: "jwt"
    case .kubernetes: "kubernetes"
    case .certificate: "cert"
    case .oidc: "oidc"
    }
  }

  /// The method's mount and the name that logs in, different for any two logins to one server: a mount is never below
  /// another one. It is the account of the method's secret in a person's own keychain.
  package var account: ByteString {
    switch self {
    case .token(let name): Self.account("token", name)
    case .appRole(let mount, let role), .jwt(let mount, let role), .kubernetes(let mount, let role):
      Self.account(mount, role)
    case .userPassword(let mount, let name): Self.account(mount, name)
    case .certificate(let mount, let name): Self.account(mount, name)
    case .oidc(let mount, let role, _): Self.account(mount, role)
    }
  }

  private static func account(_ mount: String, _ name: ByteString?) -> ByteString {
    ByteString(Array(mount.utf8) + (name.map { [UInt8(ascii: "/")] + $0.bytes } ?? []))
  }

  /// Whether the method needs a secret, stored by a person or in a file.
  var needsSecret: Bool {
    switch self {
    case .token, .certificate, .oidc: false
    case .appRole, .userPassword, .jwt, .kubernetes: true
    }
  }

  /// The secret's name, in words.
  package var need: String {
    switch self {
    case .token: "token"
    case .appRole(_, let role): "secret ID for the role '\(role)'"
    case .userPassword(_, let name): "password of '\(name)'"
    case .jwt(_, let role): "JWT for the role '\(role)'"
    case .kubernetes: "token of a service account"
    case .certificate: "certificate"
    case .oidc: "login by OpenID Connect"
    }
  }

  /// The path of the login after `/v1/`; `nil` for a token, and for a login that needs a person.
  var path: String? {
    switch self {
    case .token, .oidc: nil
    case .appRole(let mount, _), .jwt(let mount, _), .kubernetes(let mount, _), .certificate(let mount, _):
      "auth/\(mount)/login"
    case .userPassword(let mount, let name): "auth/\(mount)/login/\(name)"
    }
  }

  /// The body of the login.
  ///
  /// - Parameter secret: the method's secret.
  func body(_ secret: borrowing Secret) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    switch self {
    case .token, .oidc: break
    case .appRole(_, let role):
      json.member("role_id", role)
      json.member("secret_id", secret)
    case .userPassword: json.member("password", secret)
    case .jwt(_, let role), .kubernetes(_, let role):
      json.member("role", role)
      json.member("jwt", secret)
    case .certificate(_, let name): json.member("name", name)
    }
    json.endObject()
    return json.finish()
  }
}
