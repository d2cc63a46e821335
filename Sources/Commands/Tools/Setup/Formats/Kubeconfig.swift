import Bytes
import Interchange

/// The users, clusters and contexts of a kubeconfig (Kubernetes, "Organizing Cluster Access Using kubeconfig Files").
struct Kubeconfig {
  let document: YAMLDocument
  private let text: [UInt8]

  /// - Throws: ``ConfigurationFault`` if llavero can't read the text's YAML.
  init(_ text: [UInt8]) throws(ConfigurationFault) {
    document = try YAMLDocument(strictly: text)
    self.text = text
  }

  /// The text of a scalar; `nil` if there is none, or it isn't one line.
  func scalar(_ path: YAMLDocument.Path) -> String? {
    guard let value = document.entry(path)?.value, !value.isEmpty else { return nil }
    return text.lendingBytes { YAMLDocument.text(value, in: $0)?.description }
  }

  private func element(of list: String, named name: String) -> YAMLDocument.Path? {
    document.children(of: [ByteString(list)]).map(\.path).first {
      scalar($0 + ["name"]) == name
    }
  }

  var users: [String] {
    document.children(of: ["users"]).compactMap { scalar($0.path + ["name"]) }
  }

  var currentContext: String? {
    scalar(["current-context"]).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The path of a user's settings.
  func settings(of user: String) -> YAMLDocument.Path? {
    element(of: "users", named: user).map { $0 + ["user"] }
  }

  func user(ofContext name: String) -> String? {
    element(of: "contexts", named: name).flatMap { scalar($0 + ["context", "user"]) }
  }

  /// The names of the clusters, each with the user of a context for it.
  var pairs: [(cluster: String, user: String)] {
    document.children(of: ["contexts"]).compactMap { context in
      guard let cluster = scalar(context.path + ["context", "cluster"]),
        let user = scalar(context.path + ["context", "user"])
      else { return nil }
      return (cluster, user)
    }
  }

  func server(of cluster: String) -> String? {
    element(of: "clusters", named: cluster).flatMap { scalar($0 + ["cluster", "server"]) }
  }
}

/// The kubeconfigs that kubectl reads: those of `KUBECONFIG`, else `~/.kube/config`. If several have the same entry,
/// the first counts.
struct Kubeconfigs {
  private let files: [(file: ConfigurationFile, contents: Kubeconfig?)]

  init(_ place: SetupPlace) {
    let named = (place.variable("KUBECONFIG") ?? "").split(separator: ":").map { absolutePath("\($0)") }
    files = (named.isEmpty ? [place.home(".kube/config")] : named).map { path in
      let file = ConfigurationFile(path: path)
      return (file, (try? file.contents()).flatMap { try? Kubeconfig($0) })
    }
  }

  private var contents: [Kubeconfig] { files.compactMap(\.contents) }

  var users: [String] { contents.flatMap(\.users) }

  /// The user with whom kubectl logs in now; `nil` if there is none, or the files are invalid.
  var currentUser: String? {
    currentContext.flatMap { context in
      contents.lazy.compactMap { $0.user(ofContext: context) }.first
    }
  }

  var currentContext: String? { contents.lazy.compactMap(\.currentContext).first }

  /// The file that has a user, or would get it.
  func file(of user: String?) -> ConfigurationFile {
    files.first { file in user.map { file.contents?.settings(of: $0) != nil } ?? false }?.file
      ?? files[0].file
  }

  /// The URL of a user's first cluster.
  func server(for user: String) -> String? {
    contents.flatMap(\.pairs).lazy.filter { $0.user == user }.compactMap { pair in
      contents.lazy.compactMap { $0.server(of: pair.cluster) }.first
    }.first
  }
}
