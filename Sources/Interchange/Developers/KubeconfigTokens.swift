import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The tokens of the users in a kubeconfig (Kubernetes, "Organizing Cluster Access Using kubeconfig Files"). They are
  /// stored for `llavero kubectl` as set up by `llavero setup kubectl`: under the user's name, for the servers of the
  /// user's clusters; if these aren't known, for the service `kubectl:USER`. Certificates and exec programs are only
  /// reported.
  public static let kubectl = FileFormat(
    "kubectl", "the tokens in kubeconfigs", usualPaths: ["$KUBECONFIG:", "~/.kube/config"],
    holdsLoginsAlone: false,
    looksLike: { shape in
      shape.hasLine(beginningWith: "users:")
        && shape.hasLine { $0 == "kind: Config" || $0 == "contexts:" || $0 == "clusters:" }
    }
  ) { text throws(FormatFault) in
    let file = try YAMLDocument(text, of: "kubectl")
    var found = FoundLogins()
    for user in file.children(of: ["users"]) { found.takeUser(user.path, in: file, text) }
    return found
  }
}

extension FoundLogins {
  private static let secrets: [ByteString] = ["token", "password"]
  /// Other logins, which can't be taken.
  private static let others: [ByteString] = [
    "client-certificate", "client-certificate-data", "client-key", "client-key-data", "tokenFile", "exec",
    "auth-provider",
  ]

  fileprivate mutating func takeUser(
    _ user: YAMLDocument.Path, in file: YAMLDocument, _ text: UnsafeRawBufferPointer
  ) {
    let settings = user + ["user"]
    if let line = file.unread(settings, text) { return passOver(.line(line), .malformed) }
    for setting in file.children(of: settings) where Self.others.contains(setting.path.last ?? "") {
      passOver(.line(setting.line), .noLogin)
    }
    for name in Self.secrets {
      guard let entry = file.entry(settings + [name]) else { continue }
      take(entry, named: name, of: user, in: file, text)
    }
  }

  private mutating func take(
    _ entry: YAMLDocument.Entry, named name: ByteString, of user: YAMLDocument.Path, in file: YAMLDocument,
    _ text: UnsafeRawBufferPointer
  ) {
    let origin = Origin.line(entry.line)
    guard case .some(let secret) = YAMLDocument.scalar(entry.value, in: text),
      let label = file.entry(user + ["name"]).flatMap({ YAMLDocument.text($0.value, in: text) }).nonEmpty
    else { return passOver(origin, .malformed) }
    if secret.isEmpty { return passOver(origin, .noSecret) }
    // kubectl's helpers give no passwords, and Kubernetes accepts none since 1.19.
    if name == "password" { return passOver(origin, .noLogin) }
    guard let servers = file.servers(of: label, text) else { return passOver(origin, .noPlace) }
    let items = servers.map { Item($0.key(account: label, for: "kubectl")) }
    for item in items.isEmpty ? [Item(service: "kubectl:\(label)")] : items {
      take(item, secret.copy(), at: origin, removing: entry.removal(in: text))
    }
  }
}

extension YAMLDocument {
  /// The line of an expected mapping or list that is written in braces or has more than is read; `nil` if there is
  /// none.
  fileprivate func unread(_ path: Path, _ text: UnsafeRawBufferPointer) -> Int? {
    guard let own = entry(path), own.value.count > 2, !(text.slice(own.value) == "null") else { return nil }
    return own.line
  }

  /// The values below an element of a list, in braces or not; `nil` if some can't be read.
  private func values(below element: Path, _ text: UnsafeRawBufferPointer) -> [Path: ByteString]? {
    var values: [Path: ByteString] = [:]
    for entry in entries where entry.path.starts(with: element) {
      let path = Array(entry.path.dropFirst(element.count))
      if text[entry.value].first == UInt8(ascii: "{") {
        guard let inner = Self.flowValues(of: entry.value, in: text) else { return nil }
        for (name, value) in inner { values[path + name] = value }
      } else if !path.isEmpty {
        values[path] = Self.text(entry.value, in: text)
      }
    }
    return values
  }

  /// The servers of a user's clusters; none if one of the clusters isn't in this file; `nil` if unknown because a
  /// context can't be read.
  fileprivate func servers(of user: ByteString, _ text: UnsafeRawBufferPointer) -> [Place]? {
    if [["contexts"], ["clusters"]].contains(where: { unread($0, text) != nil }) { return nil }
    let clusters = children(of: ["clusters"]).map { values(below: $0.path, text) }
    var servers: [Place] = []
    for context in children(of: ["contexts"]) {
      guard let context = values(below: context.path, text) else { return nil }
      guard context[["context", "user"]] == user, let name = context[["context", "cluster"]] else { continue }
      if clusters.contains(nil) { return nil }
      let url = clusters.first { $0?[["name"]] == name }.flatMap { $0?[["cluster", "server"]] }
      guard let place = url.flatMap({ try? Place.parse($0).place }) else { return [] }
      if !servers.contains(place) { servers.append(place) }
    }
    return servers
  }
}
