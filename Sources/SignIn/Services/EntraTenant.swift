/// An organisation's tenant of Microsoft Entra, as named by Azure DevOps.
///
/// Without it, a guest of the organisation would get a token of another tenant, which the organisation doesn't accept.
/// It only replaces a part of a path, so no server's reply can lead to another server.
struct EntraTenant: Equatable {
  private let identifier: String

  /// The first tenant in the `WWW-Authenticate` headers: `Bearer
  /// authorization_uri=https://login.microsoftonline.com/TENANT`. `nil` if there is none; the tenant of zeros stands
  /// for personal accounts, which have none.
  init?(_ headers: [String]) {
    guard let first = headers.lazy.compactMap(Self.tenant).first else { return nil }
    identifier = first
  }

  private static func tenant(_ header: String) -> String? {
    let quotes: (Character) -> Bool = { $0 == "\"" || $0 == "'" }
    let words = header.lowercased().split { $0 == " " || $0 == "," || quotes($0) }
    guard words.first == "bearer" else { return nil }
    let name = "authorization_uri="
    for (index, word) in words.enumerated() where word.hasPrefix(name) {
      // The value may have been in quotes.
      let value = word.count > name.count ? word.dropFirst(name.count) : words[(index + 1)...].first ?? ""
      guard value.hasPrefix(authority) else { return nil }
      var tenant = value.dropFirst(authority.count)
      if tenant.last == "/" { tenant.removeLast() }
      return isIdentifier(tenant) ? String(tenant) : nil
    }
    return nil
  }

  private static let authority = "https://login.microsoftonline.com/"

  /// Whether it is a GUID other than zeros.
  private static func isIdentifier(_ text: Substring) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 } }
      && text.contains { $0 != "0" && $0 != "-" }
  }

  /// An Entra address for any tenant, limited to this one; other addresses are unchanged.
  func replacingAny(in address: String) -> String {
    let any = Self.authority + "organizations/"
    return address.hasPrefix(any) ? Self.authority + identifier + "/" + address.dropFirst(any.count) : address
  }
}
