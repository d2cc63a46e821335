package import Bytes

/// A page that a person's browser is to open, and where it comes back to on this machine (RFC 8252 section 7.3).
package struct BrowserVisit: ~Copyable {
  /// The page.
  package let page: EndpointURL
  /// The address on this machine, with its port.
  package let redirect: String
  /// The server that the person logs in to, as texts name it.
  package let server: String
  /// What the browser has to bring back with the code, so that it is the answer to this question.
  package let state: Secret

  package init(_ page: EndpointURL, backTo redirect: String, for server: String, state: consuming Secret) {
    self.page = page
    self.redirect = redirect
    self.server = server
    self.state = state
  }

  /// As JSON.
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

  /// Reads what ``encoded()`` wrote; `nil` if it is another message.
  ///
  /// - Throws: `JSONReader.Malformed`.
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

/// What came of it.
package enum BrowserReturn: ~Copyable {
  /// The browser came back with a code.
  case code(Secret)
  /// It came back with a refusal; the words are the service's.
  case refused(String)
  /// Another program listens at the port already.
  case portInUse
  /// It didn't come back in time.
  case tooLate

  /// As JSON.
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

  /// Reads what ``encoded()`` wrote.
  ///
  /// - Throws: `JSONReader.Malformed`.
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

/// What has a person's browser open a page, and waits until it comes back.
package protocol BrowserVisiting: AnyObject {
  /// The longest time that a person has, in milliseconds.
  static var patience: Int { get }

  /// Has a page opened.
  ///
  /// - Throws: ``TransportFault`` if nothing can be opened here.
  func visit(_ visit: borrowing BrowserVisit) throws(TransportFault) -> BrowserReturn
}
