import Bytes
import CredentialProtocols
import Keychain

extension Item {
  /// Maven expands variables in its settings. The label is the identifier of a server or proxy; a property has none.
  var insteadForMaven: Instead? {
    guard let reference = reference(to: nil) else { return nil }
    var parts = label.map { [$0] } ?? []
    if case .genericPassword(let key) = key {
      parts = key.nameForTool.bytes.split(separator: UInt8(ascii: ":"), maxSplits: label == nil ? 0 : 1)
        .map { ByteString(Array($0)) }
    }
    guard let name = parts.first else { return nil }
    let element: ByteString
    switch parts.last {
    case _ where label == nil: element = name
    case _ where parts.count == 1: element = "password"
    case "passphrase": element = "passphrase"
    default: element = "value"
    }
    let prefix =
      element == "passphrase" ? "MAVEN_PASSPHRASE" : element == "value" ? "MAVEN_TOKEN" : "MAVEN_PASSWORD"
    let variable = name.variable(after: prefix)
    return Instead(
      line: "<\(element)>${env.\(variable)}</\(element)>", of: "\(name)",
      variable: "\(variable)=\(reference)",
      program: ["mvn", "-B", "verify"])
  }

  /// NuGet takes a login from a variable with the source's name, or expands a variable in its configuration.
  var insteadForNuGet: Instead? {
    guard let reference = reference(to: nil), let source = label else { return nil }
    let account = key.account ?? ""
    let kinds = fields.first { $0.name == "ValidAuthenticationTypes" }?.value
    let program = ["dotnet", "restore"]
    if source.isIdentifier {
      let end = kinds.map { ";ValidAuthenticationTypes=\($0)" } ?? ""
      return Instead(
        variable:
          "NuGetPackageSourceCredentials_\(source)=Username=\(account);Password=${\(reference)}\(end)",
        program: program)
    }
    let variable = source.variable(after: "NUGET_PASSWORD")
    let parts =
      [("Username", "\(account)"), ("ClearTextPassword", "%\(variable)%")]
      + (kinds.map { [("ValidAuthenticationTypes", "\($0)")] } ?? [])
    let element = source.encodedXMLName
    return Instead(
      line: "<\(element)>"
        + parts.map { #"<add key="\#($0)" value="\#($1.escapedForXML)" />"# }.joined() + "</\(element)>",
      of: "\(source)", variable: "\(variable)=\(reference)", program: program)
  }

  /// rclone takes each option from a variable: the remote's, or if a shell can't set that one, that of all remotes of
  /// its kind. Its value is obscured as in the configuration.
  var insteadForRclone: Instead? {
    guard let reference = reference(to: nil) else { return nil }
    var remote = label ?? ""
    let kind = itemDescription ?? "webdav"
    var option: ByteString = "pass"
    if case .genericPassword(let key) = key {
      let name = key.nameForTool.bytes
      guard let colon = name.lastIndex(of: UInt8(ascii: ":")) else { return nil }
      (remote, option) = (ByteString(Array(name[..<colon])), ByteString(Array(name[(colon + 1)...])))
    }
    let owner = remote.isIdentifier ? remote.variable(after: "RCLONE_CONFIG") : kind.variable(after: "RCLONE")
    let variable = option.variable(after: owner)
    guard RcloneRemote.isObscured(option, of: kind) == true else {
      return Instead(variable: "\(variable)=\(reference)", program: ["rclone", "lsd", "\(remote):"])
    }
    if remote.bytes.contains(UInt8(ascii: "'")) { return nil }
    let operand = remote.isIdentifier ? "\(remote):" : "'\(remote):'"
    let script = "\(variable)=$(printf %s \"$RCLONE_PASS\" | rclone obscure -) exec rclone lsd \(operand)"
    return Instead(variable: "RCLONE_PASS=\(reference)", program: ["sh", "-c", script])
  }
}

extension ByteString {
  /// The name encoded for an element, as in .NET's `XmlConvert.EncodeLocalName`.
  fileprivate var encodedXMLName: String {
    var name = ""
    let units = Array("\(self)".utf16)
    for (index, unit) in units.enumerated() {
      let isEscape = unit == 0x5f && index + 1 < units.count && units[index + 1] | 0x20 == 0x78
      switch UInt8(exactly: unit) {
      case .some(let byte) where 0x41...0x5a ~= byte & 0xdf || byte == 0x5f && !isEscape,
        .some(let byte) where index > 0 && (0x30...0x39 ~= byte || byte == 0x2d || byte == 0x2e):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(unit, radix: 16, uppercase: true)
        name += "_x" + String(repeating: "0", count: 4 - digits.count) + digits + "_"
      }
    }
    return name
  }
}

extension String {
  /// The text escaped for an XML attribute.
  fileprivate var escapedForXML: String {
    var text = ""
    for character in unicodeScalars {
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case "\"": text += "&quot;"
      default: text.unicodeScalars.append(character)
      }
    }
    return text
  }
}
