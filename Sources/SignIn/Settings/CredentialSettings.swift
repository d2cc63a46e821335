import CredentialProtocols
import Keychain

/// The settings for signing in to a place from git's configuration and the environment, with the keys of Git Credential
/// Manager and git-credential-oauth.
package struct CredentialSettings {
  /// The settings for the place, with how specific they are; `nil` for every place.
  private let settings: [(setting: GitSetting, rank: Rank?)]
  private let variable: (String) -> String?

  /// - Parameters:
  ///   - place: where to sign in.
  ///   - settings: git's settings, in git's order.
  ///   - variable: returns the value of an environment variable.
  package init(for place: SignInPlace, _ settings: [GitSetting], variable: @escaping (String) -> String?) {
    let places = Self.places(of: place)
    self.settings = settings.filter { $0.section == "credential" }.compactMap { setting in
      guard let subsection = setting.subsection else { return (setting, nil) }
      return Rank(subsection, places, scheme: place.scheme).map { (setting, $0) }
    }
    self.variable = variable
  }

  /// How specific a setting is: git's ranking, and with a scheme before without.
  private struct Rank {
    let fit: GitPatternFit
    let hasScheme: Bool
    let path: String

    /// `nil` if it is for none of the places. Like Git Credential Manager, takes names without a scheme.
    init?(_ subsection: String, _ places: [GitPlace], scheme: String) {
      hasScheme = subsection.schemeMark != nil
      let text = EndpointURL.withNameForServers(hasScheme ? subsection : "\(scheme)://\(subsection)")
      guard let pattern = GitURLPattern(text),
        let fit = places.lazy.compactMap({ pattern.fit($0) }).first
      else { return nil }
      self.fit = fit
      path = pattern.path
    }

    func precedes(_ other: Rank?) -> Bool {
      guard let other else { return true }
      if fit != other.fit { return fit > other.fit }
      return hasScheme && !other.hasScheme
    }
  }

  /// The place, then its host's parent domains, the order in which Git Credential Manager looks for settings.
  private static func places(of place: SignInPlace) -> [GitPlace] {
    var places = [place.forGit]
    func add(_ host: some StringProtocol) {
      places.append(
        GitPlace(protocol: ByteString(place.scheme), account: nil, host: ByteString(String(host)), path: nil))
    }
    // A mail service has a port for each protocol, and one client for all of them.
    var labels = (place.isOfMail ? place.server.host : place.hostAndPort).split(separator: ".")
    if place.isOfMail { add(place.server.host) }
    while labels.count > 1 {
      labels.removeFirst()
      add(labels.joined(separator: "."))
    }
    return places
  }

  /// Of some names, the setting from the most specific place that has one, and there the first.
  private func found(_ names: [String]) -> (setting: GitSetting, rank: Rank?)? {
    let names = names.map { $0.lowercased() }
    var found: (setting: GitSetting, rank: Rank?)?
    for candidate in settings where names.contains(candidate.setting.name) {
      // Of equal ones, the last counts.
      if let best = found, best.rank?.precedes(candidate.rank) ?? false { continue }
      found = candidate
    }
    return found
  }

  /// The value of ``found(_:)``; `nil` also if it is empty.
  ///
  /// - Parameter environment: a variable that takes precedence.
  func value(_ names: String..., environment: String? = nil) -> String? {
    if let environment, let value = variable("GCM_OAUTH_" + environment), !value.isEmpty { return value }
    return found(names).flatMap { $0.setting.value.isEmpty ? nil : $0.setting.value }
  }

  /// The source of ``value(_:environment:)``, for people; `nil` if there is none.
  func source(_ names: [String], environment: String) -> String? {
    let variable = "GCM_OAUTH_" + environment
    if let value = self.variable(variable), !value.isEmpty { return variable }
    guard let setting = found(names)?.setting, !setting.value.isEmpty else { return nil }
    let name = names.first { $0.lowercased() == setting.name } ?? setting.name
    return (["credential"] + [setting.subsection].compactMap(\.self) + [name]).joined(separator: ".")
  }

  /// Whether a setting for the place is empty on purpose: as in Git Credential Manager, that removes the default.
  func isEmptied(_ name: String, environment: String) -> Bool {
    if let value = variable("GCM_OAUTH_" + environment) { return value.isEmpty }
    return found([name]).map { $0.setting.value.isEmpty } ?? false
  }

  /// The path of the most specific place that has one of some names; `nil` for a whole server, or all of them.
  func path(of names: [String]) -> String? {
    guard let path = found(names)?.rank?.path, !path.isEmpty else { return nil }
    return path
  }

  /// Whether one of some names is set for the place itself, and not for every server alike.
  func isSetForThePlace(_ names: String...) -> Bool {
    let names = names.map { $0.lowercased() }
    return settings.contains { names.contains($0.setting.name) && $0.rank != nil }
  }

  /// The setting or variable that forbids asking anybody for this place; `nil` if there is none. Helpers read
  /// `credential.interactive` themselves (git-config(1)); the variable and `never` are Git Credential Manager's.
  package var forbidsQuestions: String? {
    func isNo(_ value: String) -> Bool { ["false", "never", "no", "off", "0"].contains(value.lowercased()) }
    if let value = variable("GCM_INTERACTIVE") { return isNo(value) ? "GCM_INTERACTIVE" : nil }
    guard let (setting, _) = found(["interactive"]), isNo(setting.value) else { return nil }
    let place = setting.subsection.map { "\($0)." } ?? ""
    return "credential.\(place)interactive in git's configuration"
  }

  /// A boolean in git's syntax.
  func flag(_ name: String, environment: String) -> Bool? {
    value(name, environment: environment).map { !["false", "no", "off", "0"].contains($0.lowercased()) }
  }
}

package struct SignInPlace: Equatable {
  /// `https`, or `http` on this machine, or a protocol of mail.
  package let scheme: String
  /// The host in lowercase, and the port unless it is the scheme's default.
  package let hostAndPort: String
  /// The path without surrounding slashes; may be empty.
  package let path: String
  /// The server's address. For a mail server, whose tokens come from another server, it is the host's: only paths from
  /// settings, and metadata, could be there.
  package let server: EndpointURL
  /// Whether it is a mail server, which takes the token as XOAUTH2 or OAUTHBEARER (RFC 7628), together with the
  /// person's address.
  package let isOfMail: Bool

  /// The place of a URL; `nil` if signing in there isn't safe (see ``EndpointURL``).
  package init?(_ url: String) {
    let url = EndpointURL.withNameForServers(url)
    let mail = MailScheme(url)
    guard let address = EndpointURL(mail.map { "https" + $0.rest } ?? url) else { return nil }
    scheme = mail?.name ?? address.scheme
    hostAndPort = mail?.hostAndPort ?? address.hostAndPort
    path = address.pathAndQuery.prefix { $0 != "?" }.split(separator: "/").joined(separator: "/")
    guard let server = mail == nil ? address.at("/") : EndpointURL("https://\(address.host)/") else {
      return nil
    }
    self.server = server
    isOfMail = mail != nil
  }

  /// Scheme, host and port: `https://example.com:8443`, `imaps://imap.example.com`.
  package var origin: String { "\(scheme)://\(hostAndPort)" }

  /// The place for git's settings.
  fileprivate var forGit: GitPlace {
    // Git decodes the path before comparing.
    let decoded = try? Place.parse(ByteString("\(scheme)://\(hostAndPort)/\(path)")).place.path
    return GitPlace(protocol: ByteString(scheme), account: nil, host: ByteString(hostAndPort), path: decoded)
  }

  /// The address of a path on the place's server; `nil` if invalid.
  func folder(_ path: String) -> EndpointURL? { server.at("/" + path) }
}

/// The beginning of a URL of a mail server.
private struct MailScheme {
  private static let names: Set<String> = [
    "imap", "imaps", "pop3", "pop3s", "smtp", "smtps", "submission", "submissions",
  ]

  /// The scheme in lowercase.
  let name: String
  let rest: Substring
  /// The host in lowercase, and the port as in the URL.
  let hostAndPort: String

  init?(_ url: String) {
    guard let mark = url.schemeMark else { return nil }
    name = url[..<mark.lowerBound].lowercased()
    guard Self.names.contains(name) else { return nil }
    rest = url[mark.lowerBound...]
    hostAndPort = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }.lowercased()
  }
}
