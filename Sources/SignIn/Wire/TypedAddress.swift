import CredentialProtocols
import Keychain

extension EndpointURL {
  /// An address as people write it: its host may have letters beyond ASCII, plain or escaped. Servers already send the
  /// form for name servers (RFC 3986 section 3.2.2, RFC 5891 section 4.4).
  package init?(typed text: String) { self.init(Self.withNameForServers(text)) }

  /// The address with the host's name in the form for name servers; unchanged if there is no other form, or it isn't
  /// certain.
  static func withNameForServers(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "%") }) { return text }
    guard let (place, account) = try? Place.parse(ByteString(text)), account == nil,
      place.server.bytes.contains(where: { $0 >= 0x80 }), let name = HostForms.forNameServers(place.server)
    else { return text }
    let (slash, ends) = (UInt8(ascii: "/"), [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")])
    let behindScheme = text.utf8.drop { $0 != slash }.dropFirst(2)
    let tail = behindScheme.drop { !ends.contains($0) }
    return "\(place.protocol)://\(name)\(place.port.map { ":\($0)" } ?? "")\(Substring(tail))"
  }
}
