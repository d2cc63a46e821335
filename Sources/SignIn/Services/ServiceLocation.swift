/// Where on a host a service lies, if only the server itself says which service it is.
struct ServiceLocation {
  /// The address above its endpoints.
  let root: EndpointURL
  /// The path of the root; `nil` for the whole server.
  let path: String?
  /// Whether this is a guess: the whole server, as with most.
  let isGuessed: Bool

  private init(_ root: EndpointURL, path: String? = nil, isGuessed: Bool = false) {
    self.root = root
    self.path = path
    self.isGuessed = isGuessed
  }

  /// Finds it from the repository's path if all have the same form, else from the server's metadata. Metadata count
  /// only if they name exactly the endpoints of the table of services, below the path where they are: the host may have
  /// another service that signs people in.
  ///
  /// - Parameters:
  ///   - place: a repository; without a path if git doesn't send one.
  ///   - transport: asks the server; `nil` to ask nobody.
  init(of service: KnownService, at place: SignInPlace, over transport: (any Transport)?) {
    if let path = service.folder(ofRepository: place.path), let root = place.folder(path) {
      self.init(root, path: path)
      return
    }
    let folders = service.possibleFolders(ofRepository: place.path)
    guard let metadata = service.metadata, place.path.isEmpty || !folders.isEmpty else {
      self.init(place.server)
      return
    }
    if let transport {
      for folder in [""] + folders {
        guard let root = place.folder(folder), let url = root.below(metadata),
          let reply = try? transport.exchange(HTTPRequest(get: url)),
          let found = try? ServerMetadata(reply, of: root), found.tokenEndpoint == root.below(service.token),
          found.authorizationEndpoint == root.below(service.authorize)
        else { continue }
        self.init(root, path: folder.isEmpty ? nil : folder)
        return
      }
    }
    self.init(place.server, isGuessed: true)
  }
}
