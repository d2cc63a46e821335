package import Bytes

/// A page to open in a person's browser, and its return to this machine (RFC 8252 section 7.3).
package struct BrowserVisit: ~Copyable {
  package let page: EndpointURL
  /// The address on this machine, with its port.
  package let redirect: String
  package let server: String
  /// The value that the browser must return with the code, as proof that it answers this request.
  package let state: Secret

  package init(_ page: EndpointURL, backTo redirect: String, for server: String, state: consuming Secret) {
    self.page = page
    self.redirect = redirect
    self.server = server
    self.state = state
  }

  package borrowing func encoded() -> Secret {
    var json = JSONWriter(capacity: 1024)
    json.beginObject()
    json.member("page", ByteString(page.text))
    json.member("redirect", ByteString(redirect))
    json.member("server", ByteString(server))
    json.member("state", state)
    json.endObject()
    return json.finish()
  }

  /// Reads JSON from ``encoded()``; `nil` for another message.
  package init?(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var page: EndpointURL?
    var isVisit = false
    var redirect: String?
    var server = ""
    var state: Secret?
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "page":
        isVisit = true
        page = EndpointURL(ofAnyLength: try member.text())
      case "redirect": redirect = try member.text()
      case "server": server = try member.text()
      case "state": state = try member.secret()
      default: break
      }
    }
    if !isVisit { return nil }
    guard let page, let redirect, let state else { throw JSONReader.Malformed() }
    self.init(page, backTo: redirect, for: server, state: state.copy())
  }
}

package enum BrowserReturn: ~Copyable {
  case code(Secret)
  /// It came back with a refusal, in the service's words.
  case refused(String)
  /// Another program listens at the port already.
  case portInUse
  case tooLate

  package borrowing func encoded() -> Secret {
    var json = JSONWriter()
    json.beginObject()
    switch self {
    case .code(let code): json.member("code", code)
    case .refused(let words): json.member("refused", ByteString(words))
    case .portInUse: json.member("port_in_use", true)
    case .tooLate: json.member("too_late", true)
    }
    json.endObject()
    return json.finish()
  }

  /// Reads JSON from ``encoded()``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var code: Secret?
    var refused: String?
    var isPortInUse = false
    var isTooLate = false
    try JSONReader.writtenMembers(of: text) { (member) throws(JSONReader.Malformed) in
      switch member.name {
      case "code": code = try member.secret()
      case "refused": refused = try member.text()
      case "port_in_use": isPortInUse = try member.value.bool()
      case "too_late": isTooLate = try member.value.bool()
      default: break
      }
    }
    if let refused {
      self = .refused(refused)
    } else if isPortInUse {
      self = .portInUse
    } else if isTooLate {
      self = .tooLate
    } else {
      guard let code else { throw JSONReader.Malformed() }
      self = .code(code.copy())
    }
  }
}

/// Opens a page in a person's browser, and waits for its return.
package protocol BrowserVisiting: AnyObject {
  /// The longest time for a person, in milliseconds.
  static var patience: Int { get }

  /// - Throws: ``TransportFault`` if nothing can be opened here.
  func visit(_ visit: borrowing BrowserVisit) throws(TransportFault) -> BrowserReturn
}
