/// What git's configuration and the environment say about signing in to a place, by the keys of Git Credential Manager
/// and of git-credential-oauth.
package struct CredentialSettings {
  private let settings: [GitSetting]
  private let scopes: [String?]
  private let pathOfPlace: String
  private let variable: (String) -> String?

  /// - Parameters:
  ///   - place: where to sign in.
  ///   - settings: git's settings, in git's order.
  ///   - variable: returns the value of an environment variable.
  package init(for place: SignInPlace, _ settings: [GitSetting], variable: @escaping (String) -> String?) {
    self.settings = settings.filter { $0.section == "credential" }
    scopes = Self.scopes(of: place)
    pathOfPlace = place.path
    self.variable = variable
  }

  /// Whether git's `credential.interactive` says that nobody is to be asked. Helpers read it themselves
  /// (git-config(1)).
  package static func forbidsQuestions(_ settings: [GitSetting]) -> Bool {
    let value = settings.last { $0.subsection == nil && $0.name == "interactive" }?.value.lowercased()
    return value.map { ["false", "never", "no", "off", "0"].contains($0) } ?? false
  }

  /// The URLs under which a setting for the place may be, the most specific first: the longest path, then none, then
  /// the domains above the host, each also without the scheme, as Git Credential Manager looks; `*` in place of a
  /// label, as git does; none at all for a setting for every place.
  private static func scopes(of place: SignInPlace) -> [String?] {
    var scopes: [String] = []
    func add(_ rest: String) {
      scopes.append("\(place.scheme)://\(rest)")
      scopes.append(rest)
    }
    var segments = place.path.split(separator: "/")
    while true {
      add(place.hostAndPort + (segments.isEmpty ? "" : "/" + segments.joined(separator: "/")))
      if segments.popLast() == nil { break }
    }
    var labels = place.hostAndPort.split(separator: ".")
    while labels.count > 1 {
      labels.removeFirst()
      add("*." + labels.joined(separator: "."))
      add(labels.joined(separator: "."))
    }
    return scopes + [nil]
  }

  /// The value of the first of some names that is set, in the most specific place that has one of them.
  ///
  /// - Parameter environment: the variable that counts before all of them.
  func value(_ names: String..., environment: String? = nil) -> String? {
    if let environment, let value = variable("GCM_OAUTH_" + environment), !value.isEmpty { return value }
    let names = names.map { $0.lowercased() }
    for scope in scopes {
      let found = settings.last { setting in
        names.contains(setting.name)
          && (scope == nil
            ? setting.subsection == nil : setting.subsection.map { Self.isSame($0, scope) } ?? false)
      }
      if let value = found?.value { return value.isEmpty ? nil : value }
    }
    return nil
  }

  /// The path of the most specific place that has one of some names; `nil` if that is a whole server, or all of them.
  func path(of names: [String]) -> String? {
    let names = names.map { $0.lowercased() }
    let scope = scopes.first { scope in
      settings.contains { setting in
        names.contains(setting.name) && scope != nil
          && setting.subsection.map { Self.isSame($0, scope) } ?? false
      }
    }
    guard let scope = scope ?? nil else { return nil }
    var path = pathOfPlace[...]
    // Scopes are made of the place, whose path they have as far as it goes.
    while !path.isEmpty, !scope.hasSuffix("/" + path) {
      path = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
    }
    return path.isEmpty ? nil : String(path)
  }

  /// Whether one of some names is set for the place itself, and not for every server alike.
  func isSetForThePlace(_ names: String...) -> Bool {
    let names = names.map { $0.lowercased() }
    return settings.contains { setting in
      names.contains(setting.name)
        && scopes.contains { scope in
          scope != nil && setting.subsection.map { Self.isSame($0, scope) } ?? false
        }
    }
  }

  private static func isSame(_ subsection: String, _ scope: String?) -> Bool {
    var subsection = subsection[...]
    while subsection.hasSuffix("/") { subsection.removeLast() }
    return subsection.lowercased() == scope?.lowercased()
  }

  /// A boolean, read as git reads them.
  func flag(_ name: String, environment: String) -> Bool? {
    value(name, environment: environment).map { !["false", "no", "off", "0"].contains($0.lowercased()) }
  }
}

/// A place to sign in to.
package struct SignInPlace: Equatable {
  /// `https`, or `http` on this machine.
  package let scheme: String
  /// The host in lowercase, and the port if it isn't the scheme's own.
  package let hostAndPort: String
  /// The path without slashes around it; empty for none.
  package let path: String
  /// The server's address.
  package let server: EndpointURL

  /// The place of a URL; `nil` if nobody can safely sign in there (see ``EndpointURL``).
  package init?(_ url: String) {
    guard let address = EndpointURL(url) else { return nil }
    scheme = address.scheme
    hostAndPort = address.hostAndPort
    path = address.pathAndQuery.prefix { $0 != "?" }.split(separator: "/").joined(separator: "/")
    guard let server = address.at("/") else { return nil }
    self.server = server
  }
}
