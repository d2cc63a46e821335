import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The logins of NuGet's sources (learn.microsoft.com, "nuget.config reference"), stored for the source's URL, or
  /// under the service `nuget:SOURCE` if the URL is in another file. Encrypted passwords, which only Windows can read,
  /// and variables stay.
  public static let nuget = FileFormat(
    "nuget", "the passwords of sources in NuGet.Config",
    usualPaths: ["~/.nuget/NuGet/NuGet.Config", "~/.config/NuGet/NuGet.Config"], holdsLoginsAlone: false,
    looksLike: { shape in
      let tags = shape.text.prefix(64 << 10).split(separator: UInt8(ascii: "<"))
      return shape.isXML("configuration") && tags.contains { $0.starts(with: "packageSource".utf8) }
    }
  ) { text throws(FormatFault) in try NuGetConfiguration.read(text) }
}

private final class NuGetConfiguration: XMLElementReader {
  private let text: UnsafeRawBufferPointer
  private var isNuGet = false
  private var logins: [XMLElement] = []
  private var urls: [ByteString: ByteString] = [:]
  /// The disabled sources, in lowercase. NuGet looks only at the name, whatever the value.
  private var disabled: Set<ByteString> = []
  private var found = FoundLogins()

  private init(_ text: UnsafeRawBufferPointer) { self.text = text }

  static func read(_ text: UnsafeRawBufferPointer) throws(FormatFault) -> FoundLogins {
    let reader = NuGetConfiguration(text)
    try XMLFile.read(text, reader)
    guard reader.isNuGet else { throw FormatFault("it is not XML that NuGet reads") }
    for login in reader.logins { reader.take(login) }
    return reader.found
  }

  func ended(_ element: XMLElement, in ancestors: [XMLElement]) -> Bool {
    guard let section = ancestors.last?.name, ancestors.count == 2 else {
      if ancestors.isEmpty { isNuGet = element.name == "configuration" }
      // Keep a login's parts with it.
      return ancestors.count > 2
    }
    let key = element.attribute("key") ?? ""
    switch section {
    case "packageSourceCredentials": logins.append(element)
    case "packageSources": urls[key] = element.attribute("value")
    case "disabledPackageSources" where element.name == "add": disabled.insert(key.lowercased)
    case "apikeys": found.passOver(.line(element.line), .undecipherable)
    case "config" where key.lowercased == "http_proxy.password":
      found.passOver(.line(element.line), .undecipherable)
    default: break
    }
    return false
  }

  private func take(_ login: XMLElement) {
    let origin = Origin.line(login.line)
    let parts = login.children.filter { $0.name == "add" }.map { part in
      (key: (part.attribute("key") ?? "").lowercased, part: part)
    }
    func part(_ key: ByteString) -> XMLElement? { parts.first { $0.key == key }?.part }
    let source = login.name.decodedXMLName
    if disabled.contains(source.lowercased) { return found.passOver(origin, .notInUse) }
    // NuGet refuses a second one.
    if Set(parts.map(\.key)).count < parts.count { return found.passOver(origin, .disputed) }
    if part("password") != nil { return found.passOver(origin, .undecipherable) }
    let secret = part("cleartextpassword")?.secret("value") ?? Secret()
    if secret.isEmpty { return found.passOver(origin, .noSecret) }
    let account = part("username")?.attribute("value") ?? ""
    if account.bytes.withUnsafeBytes(\.hasNuGetVariable) || secret.withUnsafeBytes(\.hasNuGetVariable) {
      return found.passOver(origin, .reference)
    }
    var entry = SourceEntry(at: origin, removals: [Removal(text.wholeLines(of: login.range))])
    var item = Item(service: "nuget:\(source)", account: account)
    if let (place, named) = urls[source].flatMap({ try? Place.parse($0) }), place.server.canBeServer {
      item.key = .internetPassword(place.key(account: account.nonEmpty ?? named.nonEmpty, for: nil))
    }
    item.label = source
    entry.addRest(of: login)
    if !login.string.trimmed.isEmpty { entry.add("text", .part) }
    for part in login.children {
      if part.name != "add" { entry.add(part.name, .part) }
      entry.addRest(of: part, besides: part.name == "add" ? ["key", "value"] : [])
      if !part.children.isEmpty || !part.string.trimmed.isEmpty { entry.add("text", .part) }
    }
    for (key, part) in parts where !["username", "cleartextpassword"].contains(key) {
      let value = part.attribute("value") ?? ""
      // How the login may be sent.
      if key == "validauthenticationtypes", item.addField("ValidAuthenticationTypes", value) { continue }
      if !value.isEmpty { entry.add(key, .part) }
    }
    found.take(item, Credential(secret), of: entry)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether it contains a variable, `%NAME%` on every system. NuGet reads `${NAME}` literally, which nobody intends.
  fileprivate var hasNuGetVariable: Bool {
    if hasVariable(in: 0..<count) { return true }
    var start: Int?
    for (index, byte) in enumerated() {
      if byte == UInt8(ascii: "%") {
        if let start, index > start + 1 { return true }
        start = index
      } else if !(0x30...0x39 ~= byte || 0x41...0x5a ~= byte & 0xdf || byte == UInt8(ascii: "_")) {
        start = nil
      }
    }
    return false
  }
}

extension ByteString {
  /// The name encoded in an element's name, where `_x0020_` is a space, as in .NET's `XmlConvert.DecodeName`.
  var decodedXMLName: ByteString {
    var units: [UInt16] = []
    var rest = Array(String(decoding: bytes, as: UTF8.self).utf16)[...]
    while let unit = rest.first {
      let digits = rest.dropFirst(2).prefix(4)
      let code = UInt16(String(decoding: digits, as: UTF16.self), radix: 16)
      if unit == 0x5f, rest.count > 6, rest[rest.startIndex + 1] | 0x20 == 0x78, digits.count == 4,
        rest[rest.startIndex + 6] == 0x5f, let code
      {
        units.append(code)
        rest = rest.dropFirst(7)
      } else {
        units.append(unit)
        rest = rest.dropFirst()
      }
    }
    return ByteString(String(decoding: units, as: UTF16.self))
  }
}
