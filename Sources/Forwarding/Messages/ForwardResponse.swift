package import Bytes
package import Keychain

/// The answer of a forwarded keychain: one JSON object.
package enum ForwardResponse {
  /// The items found, or made by a change. `credential` belongs to the item with its index. `isPart` says that a part
  /// of the keychain couldn't be used, which may have more.
  case items([Item], CredentialOfItem?, isPart: Bool = false)
  case credential(CredentialOfItem)
  /// A person is deciding. Ask again with this ticket.
  case waiting(ticket: ByteString)
  case fault(ForwardFault)

  /// A secret, and the index of its item. An object, because an enum with a credential could not be copied.
  package final class CredentialOfItem {
    package let index: Int
    package let credential: Credential

    package init(_ index: Int, _ credential: consuming Credential) {
      self.index = index
      self.credential = credential
    }
  }

  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    switch self {
    case .items(let items, let answer, let isPart):
      json.beginArray("items")
      for item in items {
        json.beginObject()
        json.members(of: item)
        json.endObject()
      }
      json.endArray()
      if let answer {
        json.member("index", answer.index)
        json.member("credential", credential: answer.credential)
      }
      if isPart { json.member("part", true) }
    case .credential(let answer): json.member("credential", credential: answer.credential)
    case .waiting(let ticket): json.member("wait", ticket)
    case .fault(let fault): json.member("fault", ByteString(fault.rawValue))
    }
    json.endObject()
    return json.finish()
  }

  /// Parses a response.
  ///
  /// - Throws: ``JSONReader/Malformed``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var items: [Item]?
    var index: Int?
    var isPart = false
    var credential: Credential?
    var (ticket, fault): (ByteString?, ByteString?)
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      if name == "items" {
        items = try Self.items(value)
      } else if name == "index" {
        index = try value.integer()
      } else if name == "part" {
        isPart = try value.bool()
      } else if name == "credential" {
        credential = try Credential(json: value)
      } else if name == "wait" {
        ticket = try value.string()
      } else if name == "fault" {
        fault = try value.string()
      }
    }
    if let fault {
      self = .fault(fault.text.flatMap(ForwardFault.init(rawValue:)) ?? .unknown)
    } else if let ticket {
      guard ForwardRequest.isWord(ticket) else { throw JSONReader.Malformed() }
      self = .waiting(ticket: ticket)
    } else if let items {
      self = .items(items, try Self.answer(index, credential, of: items.count), isPart: isPart)
    } else if let answer = try Self.answer(0, credential, of: 1) {
      self = .credential(answer)
    } else {
      throw JSONReader.Malformed()
    }
  }

  private static func answer(
    _ index: Int?, _ credential: consuming Credential?, of count: Int
  ) throws(JSONReader.Malformed) -> CredentialOfItem? {
    guard let credential else { return nil }
    guard let index, 0..<count ~= index else { throw JSONReader.Malformed() }
    return CredentialOfItem(index, credential)
  }

  /// The largest number of items in a response.
  package static let maximumItems = 10_000

  private static func items(_ value: JSONValue) throws(JSONReader.Malformed) -> [Item] {
    guard value.kind == .array else { throw JSONReader.Malformed() }
    var items: [Item] = []
    try JSONReader.elements(of: value.raw) { (element) throws(JSONReader.Malformed) in
      guard items.count < maximumItems else { throw JSONReader.Malformed() }
      items.append(try Item(json: element))
    }
    return items
  }
}

/// Why a forwarded keychain did nothing. It reveals no more than the other side needs: neither paths nor names.
package enum ForwardFault: String, CaseIterable, Error, Hashable, Sendable {
  /// The host may not do this, or a person has declined.
  case refused
  /// The sender wasn't verified.
  case unverified
  /// The keychain is locked, and nobody has unlocked it.
  case locked
  case unavailable
  case notWritable
  /// Something has changed since the other side looked.
  case changed
  case duplicate
  case notFound
  case unusableAttribute
  /// It doesn't fit into the keychain, or into a message.
  case tooLarge
  /// The request is invalid.
  case malformed
  /// Nobody has decided in time.
  case undecided
  case busy
  /// A fault unknown to this version.
  case unknown
}
