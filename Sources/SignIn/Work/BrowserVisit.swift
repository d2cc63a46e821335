package import Bytes

/// A page to open in a person's browser, and its return to this machine (RFC 8252 section 7.3).
package struct BrowserVisit: ~Copyable, JSONMessage {
  package private(set) var page: EndpointURL
  /// The address on this machine, with its port.
  package private(set) var redirect: String
  package private(set) var server: String
  /// The value that the browser must return with the code, as proof that it answers this request.
  package private(set) var state: Secret

  package init(_ page: EndpointURL, backTo redirect: String, for server: String, state: consuming Secret) {
    self.page = page
    self.redirect = redirect
    self.server = server
    self.state = state
  }

  package borrowing func encoded() -> Secret {
    var copy = BrowserVisit(page, backTo: redirect, for: server, state: state.copy())
    return copy.encode()
  }

  /// Reads JSON from ``encoded()``; `nil` for another message.
  package init?(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    self.init(.unread, backTo: "", for: "", state: Secret())
    try read(text)
    if page == .unread { return nil }
  }

  package mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
    if members.has("page") { try members.need("redirect", "state") }
    try members.member("page", &page, ofAnyLength: true)
    try members.member("redirect", &redirect)
    try members.member("server", &server)
    try members.member("state", &state)
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
    var message = Message()
    switch self {
    case .code(let code): message.code = code.copy()
    case .refused(let words): message.refused = words
    case .portInUse: message.isPortInUse = true
    case .tooLate: message.isTooLate = true
    }
    return message.encode()
  }

  /// Reads JSON from ``encoded()``.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) {
    var message = Message()
    try message.read(text)
    if let refused = message.refused {
      self = .refused(refused)
    } else if message.isPortInUse || message.isTooLate {
      self = message.isPortInUse ? .portInUse : .tooLate
    } else {
      guard let code = message.code.take() else { throw JSONReader.Malformed() }
      self = .code(code)
    }
  }

  private struct Message: ~Copyable, JSONMessage {
    var code: Secret?
    var refused: String?
    var isPortInUse = false
    var isTooLate = false

    mutating func members(_ members: inout JSONMembers) throws(JSONReader.Malformed) {
      try members.member("code", &code)
      try members.member("refused", &refused)
      try members.mark("port_in_use", &isPortInUse)
      try members.mark("too_late", &isTooLate)
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
