import CredentialProtocols
import Keychain

/// What git's configuration and the environment say about signing in to a place, by the keys of Git Credential Manager
/// and of git-credential-oauth.
package struct CredentialSettings {
  /// The settings that are meant for the place, with how specific they are; `nil` for every place.
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

  /// How specific a setting is: as git ranks it, and with the scheme before without.
  private struct Rank {
    let fit: GitPatternFit
    let hasScheme: Bool
    /// The path in its name.
    let path: String

    /// `nil` if it is meant for none of the places. Git Credential Manager also takes names without a scheme.
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

  /// The place, then the domains above its host, as Git Credential Manager looks for settings.
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

  /// The setting with the first of some names that is set in the most specific place that has one of them.
  private func found(_ names: [String]) -> (setting: GitSetting, rank: Rank?)? {
    let names = names.map { $0.lowercased() }
    var found: (setting: GitSetting, rank: Rank?)?
    for candidate in settings where names.contains(candidate.setting.name) {
      // Of several that are alike, the last one counts.
      if let best = found, best.rank?.precedes(candidate.rank) ?? false { continue }
      found = candidate
    }
    return found
  }

  /// The value of the first of some names that is set, in the most specific place that has one of them; `nil` also if it
  /// is empty.
  ///
  /// - Parameter environment: the variable that counts before all of them.
  func value(_ names: String..., environment: String? = nil) -> String? {
    if let environment, let value = variable("GCM_OAUTH_" + environment), !value.isEmpty { return value }
    return found(names).flatMap { $0.setting.value.isEmpty ? nil : $0.setting.value }
  }

  /// What ``value(_:environment:)`` has its value from, for people; `nil` if there is none.
  func source(_ names: [String], environment: String) -> String? {
    let variable = "GCM_OAUTH_" + environment
    if let value = self.variable(variable), !value.isEmpty { return variable }
    guard let setting = found(names)?.setting, !setting.value.isEmpty else { return nil }
    let name = names.first { $0.lowercased() == setting.name } ?? setting.name
    return (["credential"] + [setting.subsection].compactMap(\.self) + [name]).joined(separator: ".")
  }

  /// Whether a setting for the place is empty on purpose: it takes away what there would be without it, as in Git
  /// Credential Manager.
  func isEmptied(_ name: String, environment: String) -> Bool {
    if let value = variable("GCM_OAUTH_" + environment) { return value.isEmpty }
    return found([name]).map { $0.setting.value.isEmpty } ?? false
  }

  /// The path of the most specific place that has one of some names; `nil` if that is a whole server, or all of them.
  func path(of names: [String]) -> String? {
    guard let path = found(names)?.rank?.path, !path.isEmpty else { return nil }
    return path
  }

  /// Whether one of some names is set for the place itself, and not for every server alike.
  func isSetForThePlace(_ names: String...) -> Bool {
    let names = names.map { $0.lowercased() }
    return settings.contains { names.contains($0.setting.name) && $0.rank != nil }
  }

  /// The setting or variable that says that nobody is to be asked for this place; `nil` if none does. Helpers read
  /// `credential.interactive` themselves (git-config(1)); Git Credential Manager has the variable, and `never`.
  package var forbidsQuestions: String? {
    func isNo(_ value: String) -> Bool { ["false", "never", "no", "off", "0"].contains(value.lowercased()) }
    if let value = variable("GCM_INTERACTIVE") { return isNo(value) ? "GCM_INTERACTIVE" : nil }
    guard let (setting, _) = found(["interactive"]), isNo(setting.value) else { return nil }
    let place = setting.subsection.map { "\($0)." } ?? ""
    return "credential.\(place)interactive in git's configuration"
  }

  /// A boolean, read as git reads them.
  func flag(_ name: String, environment: String) -> Bool? {
    value(name, environment: environment).map { !["false", "no", "off", "0"].contains($0.lowercased()) }
  }
}

/// A place to sign in to.
package struct SignInPlace: Equatable {
  /// `https`, or `http` on this machine, or a protocol of mail.
  package let scheme: String
  /// The host in lowercase, and the port if it isn't the scheme's own.
  package let hostAndPort: String
  /// The path without slashes around it; empty for none.
  package let path: String
  /// The server's address. Of a mail server, whose tokens another server gives, the host's: only what settings name as
  /// a path, and metadata, would be there.
  package let server: EndpointURL
  /// Whether it is a mail server. The token goes to it as XOAUTH2 or OAUTHBEARER (RFC 7628), beside the address of its
  /// person.
  package let isOfMail: Bool

  /// The place of a URL; `nil` if nobody can safely sign in there (see ``EndpointURL``).
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

  /// Scheme, host and port, as the place begins: `https://example.com:8443`, `imaps://imap.example.com`.
  package var origin: String { "\(scheme)://\(hostAndPort)" }

  /// The place as git looks for its settings.
  fileprivate var forGit: GitPlace {
    // Git decodes the path before it looks.
    let decoded = try? Place.parse(ByteString("\(scheme)://\(hostAndPort)/\(path)")).place.path
    return GitPlace(protocol: ByteString(scheme), account: nil, host: ByteString(hostAndPort), path: decoded)
  }

  /// The address of a path of the place, for what lies below it; `nil` if there is no such address.
  func folder(_ path: String) -> EndpointURL? { server.at("/" + path) }
}

/// The beginning of a URL of a mail server.
private struct MailScheme {
  private static let names: Set<String> = [
    "imap", "imaps", "pop3", "pop3s", "smtp", "smtps", "submission", "submissions",
  ]

  /// The scheme in lowercase.
  let name: String
  /// All that follows the scheme.
  let rest: Substring
  /// The host in lowercase, and the port as the URL has it.
  let hostAndPort: String

  init?(_ url: String) {
    guard let mark = url.schemeMark else { return nil }
    name = url[..<mark.lowerBound].lowercased()
    guard Self.names.contains(name) else { return nil }
    rest = url[mark.lowerBound...]
    hostAndPort = url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" }.lowercased()
  }
}
