import Keychain

/// A pending request of the portal (xdg-desktop-portal, "org.freedesktop.impl.portal.Request").
final class PortalRequest: @unchecked Sendable {
  // Unchecked is sound: only the main thread uses it. Other threads just carry references back there.

  /// The path at which the portal can end it.
  let path: String
  let call: MethodCall
  /// The sandboxed program's identifier from the portal; empty without a sandbox.
  let program: ByteString
  let descriptor: PassedDescriptor
  var prompt: ServedPrompt?

  init(_ path: String, _ call: MethodCall, of program: ByteString, to descriptor: PassedDescriptor) {
    self.path = path
    self.call = call
    self.program = program
    self.descriptor = descriptor
  }

  /// The portal's codes for a request's outcome (xdg-desktop-portal, "Request.Response").
  enum Response: UInt32 {
    case done = 0
    case cancelled = 1
    case other = 2
  }
}

struct PortalRequests {
  /// How many requests one connection may have at once.
  static let limit = 64

  private var requests: [String: PortalRequest] = [:]

  subscript(_ path: String) -> PortalRequest? { requests[path] }

  mutating func add(_ request: PortalRequest) throws(ServiceError) {
    guard requests[request.path] == nil else { throw .alreadyExists("there is such a request") }
    guard requests.values.count(where: { $0.call.sender == request.call.sender }) < Self.limit else {
      throw .limitsExceeded("this connection has \(Self.limit) requests")
    }
    requests[request.path] = request
  }

  /// Removes a request. Returns whether it was still there.
  @discardableResult
  mutating func remove(_ request: PortalRequest) -> Bool {
    request.prompt = nil
    guard requests[request.path] === request else { return false }
    requests[request.path] = nil
    return true
  }

  /// Removes the requests of a connection that has left the bus.
  mutating func remove(of owner: String) {
    for (path, request) in requests where request.call.sender == owner { requests[path] = nil }
  }
}
