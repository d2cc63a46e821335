import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// Maven's settings (maven.apache.org, "Settings Reference"): passwords and passphrases of servers, tokens in their
  /// headers, and passwords of proxies. The URL for a server's identifier is mostly in projects; if the settings alone
  /// name it, a password is stored for that URL, else under the service `maven:ID`. Properties named like secrets are
  /// stored the same way.
  ///
  /// Passwords encrypted by Maven, in braces, and variables stay.
  public static let maven = FileFormat(
    "maven", "the passwords in Maven's settings.xml", usualPaths: ["~/.m2/settings.xml"],
    holdsLoginsAlone: false,
    looksLike: { $0.isXML("settings") }
  ) { text throws(FormatFault) in try MavenSettings.read(text) }
}

private final class MavenSettings: XMLElementReader {
  private let text: UnsafeRawBufferPointer
  private var isMaven = false
  private var servers: [XMLElement] = []
  private var proxies: [XMLElement] = []
  private var properties: [XMLElement] = []
  /// The URLs of repositories and mirrors, by their identifiers.
  private var urls: [ByteString: Set<ByteString>] = [:]
  private var found = FoundLogins()

  private init(_ text: UnsafeRawBufferPointer) { self.text = text }

  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    let reader = MavenSettings(text)
    try XMLFile.read(text, reader)
    guard reader.isMaven else { throw FormatFault("it is not XML that Maven reads as its settings") }
    for server in reader.servers { reader.take(server: server) }
    for proxy in reader.proxies { reader.take(proxy: proxy) }
    for property in reader.properties {
      reader.take(property, as: Item(service: "maven:\(property.name)"))
    }
    return reader.found
  }

  func ended(_ element: XMLElement, in ancestors: [XMLElement]) -> Bool {
    switch (element.name, ancestors.last?.name) {
    case ("settings", nil): isMaven = true
    case ("server", "servers"): servers.append(element)
    case ("proxy", "proxies"): proxies.append(element)
    case ("repository", "repositories"), ("pluginRepository", "pluginRepositories"), ("mirror", "mirrors"):
      urls[element.trimmed("id"), default: []].insert(element.trimmed("url"))
    case (let name, "properties") where name.isSecretsName && element.children.isEmpty:
      properties.append(element)
    default: return true
    }
    return false
  }

  private func take(server: XMLElement) {
    let id = server.trimmed("id")
    let username = server.trimmed("username")
    let account = username.withoutVariables
    func service(_ part: ByteString?) -> Item {
      Item(service: "maven:\(id)" + (part.map { ":\($0)" } ?? ""), account: account, label: id)
    }
    var password = service(nil)
    // With a variable as user name it would answer for anybody.
    if account != nil || username.isEmpty, let urls = urls[id], urls.count == 1,
      let (place, named) = urls.first?.withoutVariables.flatMap({ try? Place.parse($0) }),
      place.server.canBeServer
    {
      password.key = .internetPassword(place.key(account: account ?? named.nonEmpty, for: nil))
    }
    take(sole: "password", of: server, as: password)
    take(sole: "passphrase", of: server, as: service("passphrase"))
    // GitLab's registry uses these.
    for header in server.child("configuration")?.child("httpHeaders")?.children ?? [] {
      let name = header.trimmed("name")
      guard name.isSecretHeader, let value = header.child("value") else { continue }
      take(value, as: service(name))
    }
  }

  private func take(proxy: XMLElement) {
    do throws(NoPlace) {
      if let reason = proxy.reasonNotInUse { throw NoPlace(reason: reason) }
      let account = proxy.trimmed("username")
      if account.withoutVariables != account.nonEmpty { throw NoPlace(reason: .reference) }
      let place = try Place(
        protocol: proxy.trimmed("protocol").nonEmpty ?? "http", server: proxy.trimmed("host"),
        writtenPort: proxy.trimmed("port"))
      var item = Item(place.key(account: account.nonEmpty, for: nil))
      item.label = proxy.trimmed("id").nonEmpty
      take(sole: "password", of: proxy, as: item)
    } catch {
      passOver("password", of: proxy, error.reason)
    }
  }

  /// Skips the child elements with a name.
  private func passOver(_ name: ByteString, of element: XMLElement, _ reason: PassedOver.Reason) {
    for element in element.children where element.name == name {
      found.passOver(.line(element.line), reason)
    }
  }

  /// Takes the child element with a name. Maven refuses a second one.
  private func take(sole name: ByteString, of element: XMLElement, as item: Item) {
    let all = element.children.filter { $0.name == name }
    if all.count == 1 { return take(all[0], as: item) }
    passOver(name, of: element, .disputed)
  }

  private func take(_ element: XMLElement, as item: Item) {
    let origin = Origin.line(element.line)
    let secret = element.text.withUnsafeBytes { Secret(copying: $0.trimmedSlice) }
    if secret.isEmpty { return found.passOver(origin, .noSecret) }
    guard element.children.isEmpty else { return found.passOver(origin, .malformed) }
    let reason = secret.withUnsafeBytes(\.reasonToStay)
    if let reason { return found.passOver(origin, reason) }
    var entry = SourceEntry(at: origin, removals: [Removal(text.wholeLines(of: element.range))])
    entry.addRest(of: element)
    found.take(item, Credential(secret), of: entry)
  }
}

extension XMLElement {
  /// The text of a child element, trimmed as Maven does.
  fileprivate func trimmed(_ name: ByteString) -> ByteString { string(name).trimmed }

  /// Why Maven doesn't use a proxy; `nil` if it does: without a word, or with the right one.
  fileprivate var reasonNotInUse: PassedOver.Reason? {
    guard let word = child("active")?.string.trimmed else { return nil }
    if !word.isEmpty, word.withoutVariables == nil { return .reference }
    return word.lowercased == "true" ? nil : .notInUse
  }
}

extension ByteString {
  fileprivate var withoutVariables: ByteString? {
    bytes.withUnsafeBytes { $0.hasVariable(in: 0..<$0.count) } ? nil : nonEmpty
  }

  /// Whether a header with this name contains a login.
  fileprivate var isSecretHeader: Bool {
    let name = lowercased
    return name == "authorization" || name.ends(with: "token") || name.ends(with: "key")
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var reasonToStay: PassedOver.Reason? {
    if hasVariable(in: 0..<count) { return .reference }
    guard let brace = firstIndex(of: UInt8(ascii: "{")),
      let end = lastIndex(of: UInt8(ascii: "}")), brace < end
    else { return nil }
    // Versions differ in whether a backslash before a brace belongs to the password.
    let isEscaped = [brace, end].contains { $0 > 0 && self[$0 - 1] == UInt8(ascii: "\\") }
    return isEscaped ? .disputed : .undecipherable
  }
}
