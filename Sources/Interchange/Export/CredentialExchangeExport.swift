import Bytes
import CredentialProtocols
import Keychain

extension ExportFormat {
  /// The Credential Exchange Format of the FIDO Alliance (CXF 1.0, August 2025), as one account.
  public static let credentialExchange = ExportFormat(
    "cxf", "the FIDO Alliance's Credential Exchange Format, JSON",
    frame: Frame(
      beginning: { now in
        ByteString(
          #"{"version":{"major":1,"minor":0},"exporterRpId":"llavero","exporterDisplayName":"llavero","timestamp":"#
            + "\(now.seconds)"
            + #","accounts":[{"id":"bGxhdmVybw","username":"","email":"","collections":[],"items":["# + "\n")
      }, separator: ",\n", ending: "\n]}]}\n"),
    write: exchanged)

  @Sendable
  private static func exchanged(
    _ item: Item, _ credential: borrowing Credential, _ fields: inout ExportedFields, _ text: inout Secret
  ) throws(Omission) {
    let login = try ExportedLogin.taking(item, credential, &fields, .urls)
    fields.take(all: "creation date", "modification date", "fields", "hidden fields")
    var json = JSONWriter(capacity: 1024)
    json.beginObject()
    json.member("id", identifier(item))
    json.member("creationAt", item.creationDate?.seconds)
    json.member("modifiedAt", item.modificationDate?.seconds)
    json.textMember("title", login.name)
    if !login.url.isEmpty {
      json.beginObject("scope")
      var hasAll = true
      json.beginArray("urls")
      json.element(login.url)
      let here = Place.ofServer(in: login.url)?.place
      for address in item.addresses where address.text != nil && address != login.url {
        // Every address there is one to sign in at. The login isn't for servers that are only noted.
        let place = Place.ofServer(in: address)?.place
        if place == nil || place == here { json.element(address) } else { hasAll = false }
      }
      json.endArray()
      json.beginArray("androidApps")
      json.endArray()
      json.endObject()
      fields.take("addr")
      if !hasAll { fields.put("addr") }
    }
    json.beginArray("credentials")
    json.beginObject()
    json.member("type", "basic-auth" as ByteString)
    if !login.account.isEmpty {
      login.account.bytes.withUnsafeBytes { json.field("username", $0, "string") }
    }
    login.secret.withUnsafeBytes { json.field("password", $0, "concealed-string") }
    json.endObject()
    if !login.code.isEmpty, !login.code.withUnsafeBytes({ json.code(url: $0) }) {
      fields.put("one-time code")
    }
    if !login.comment.isEmpty {
      json.beginObject()
      json.member("type", "note" as ByteString)
      login.comment.bytes.withUnsafeBytes { json.field("content", $0, "string") }
      json.endObject()
    }
    json.fields(of: item, credential)
    json.endArray()
    if !login.tags.isEmpty {
      json.beginArray("tags")
      for tag in login.tags { json.element(tag) }
      json.endArray()
    }
    json.endObject()
    text.append(json.finish())
  }

  /// The item's identifier: base64url without padding (RFC 4648 section 5) of at most 64 bytes.
  private static func identifier(_ item: Item) -> ByteString {
    let name = item.reference?.bytes ?? ByteString(item.key.name)
    return ByteString(Array(name.bytes.prefix(64)).withUnsafeBytes { Base64URL.text($0) })
  }
}

extension JSONWriter {
  fileprivate mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, _ type: ByteString) {
    beginObject(name)
    member("fieldType", type)
    textMember("value", value)
    endObject()
  }

  /// Writes the secret of one-time codes. Returns `false` if the format has no place for it: Steam's, and those with a
  /// counter.
  fileprivate mutating func code(url: UnsafeRawBufferPointer) -> Bool {
    guard case .some(let secret) = OneTimeCodeSecret(url: url), case .time(let period) = secret.moving,
      case .digits(let digits) = secret.form, period <= 255
    else { return false }
    beginObject()
    member("type", "totp" as ByteString)
    secret.withKeyText { member("secret", $0) }
    member("period", period)
    member("digits", Int64(digits))
    member("algorithm", ByteString(secret.algorithm.rawValue.lowercased()))
    if !secret.account.isEmpty { textMember("username", secret.account) }
    if !secret.issuer.isEmpty { textMember("issuer", secret.issuer) }
    endObject()
    return true
  }

  fileprivate mutating func fields(of item: Item, _ credential: borrowing Credential) {
    if item.fields.isEmpty, !credential.further.hasFields { return }
    beginObject()
    member("type", "custom-fields" as ByteString)
    beginArray("fields")
    for (name, value) in item.fields { value.bytes.withUnsafeBytes { labelled(name, $0, "string") } }
    var hidden = Secret()
    var ends: [(ByteString, Int)] = []
    credential.further.forEachField {
      hidden.append($1)
      ends.append(($0, hidden.count))
    }
    hidden.withUnsafeBytes { hidden in
      var start = 0
      for (name, end) in ends {
        labelled(name, hidden.slice(start..<end), "concealed-string")
        start = end
      }
    }
    endArray()
    endObject()
  }

  private mutating func labelled(_ name: ByteString, _ value: UnsafeRawBufferPointer, _ type: ByteString) {
    beginObject()
    textMember("label", name)
    member("fieldType", type)
    textMember("value", value)
    endObject()
  }
}
