import Keychain

/// A filter for items by their attributes. It doesn't decide which item answers for a place: that is an `ItemQuery`.
struct ItemFilter {
  enum Class: String, CaseIterable {
    case internet
    case generic
    case certificate
    case key
    case identity
    case secret
    case collection

    var itemClass: ItemClass {
      switch self {
      case .internet: .internetPassword
      case .generic: .genericPassword
      case .certificate: .certificate
      case .key: .key
      case .identity: .identity
      case .secret: .secretServiceItem
      case .collection: .secretServiceCollection
      }
    }
  }

  /// An empty pattern matches an attribute that is absent or empty.
  typealias Pattern = GlobPattern

  var itemClass: Class?
  var server: Pattern?
  var `protocol`: Pattern?
  /// The protocol's default port equals no port.
  var port: UInt16?
  var account: Pattern?
  var path: Pattern?
  var domain: Pattern?
  var authenticationType: Pattern?
  var service: Pattern?
  var label: Pattern?
  var comment: Pattern?
  var itemDescription: Pattern?
  var creator: Pattern?
  var type: Pattern?
  /// Attributes by which programs find the item in a Secret Service. It must have all of them, and may have more.
  var lookup = LookupAttributes()
  /// The keychain's own name for the item.
  var reference: String?
  var isDefault = false

  func matches(_ item: Item) -> Bool {
    if isDefault, !item.isDefault { return false }
    if let reference, !item.isNamed(by: ByteString(reference)) { return false }
    if !lookup.all.isEmpty, !(item.secretService.lookup?.includes(lookup) ?? false) { return false }
    if let itemClass, item.key.itemClass != itemClass.itemClass { return false }
    switch item.key {
    case .internetPassword(let key):
      guard service == nil, fits(server, key.server), fits(`protocol`, key.protocol),
        port == nil || key.effectivePort == port, fits(path, key.path), fits(domain, key.securityDomain),
        fits(authenticationType, key.authenticationType)
      else { return false }
    case .genericPassword(let key):
      guard server == nil, `protocol` == nil, port == nil, path == nil, domain == nil,
        authenticationType == nil, fits(service, key.service)
      else { return false }
    case .cryptographic, .secretService:
      guard server == nil, `protocol` == nil, port == nil, path == nil, domain == nil,
        authenticationType == nil, service == nil
      else { return false }
    }
    return fits(account, item.key.account) && fits(label, item.label) && fits(comment, item.comment)
      && fits(itemDescription, item.itemDescription) && fits(creator, item.creator) && fits(type, item.type)
  }

  private func fits(_ pattern: Pattern?, _ attribute: ByteString?) -> Bool {
    guard let pattern else { return true }
    return pattern.isEmpty ? attribute.nonEmpty == nil : attribute.map(pattern.matches) ?? false
  }
}
