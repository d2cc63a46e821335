import CSecret
import SecretService

/// A method call from another program, answered once.
final class MethodCall: @unchecked Sendable {
  // Unchecked is sound: GLib counts a message's references atomically, and only the code that answers a call uses it.
  private let message: OpaquePointer
  private let connection: OpaquePointer

  let sender: String
  let path: String
  let interface: String?
  let member: String

  /// The items that it concerns, as far as known.
  var concerns: [ServedItem] = []
  /// How often it was judged again.
  var attempts = 0
  /// Called after the answer, with the error if there was one.
  var onEnd: ((ServiceError?) -> Void)?

  /// Takes over a reference to the message; `nil` if it lacks the fields of a call.
  init?(taking message: OpaquePointer, on connection: OpaquePointer) {
    self.message = message
    self.connection = connection
    guard let sender = g_dbus_message_get_sender(message), let path = g_dbus_message_get_path(message),
      let member = g_dbus_message_get_member(message)
    else { return nil }
    self.sender = String(cString: sender)
    self.path = String(cString: path)
    self.member = String(cString: member)
    interface = g_dbus_message_get_interface(message).map { String(cString: $0) }
  }

  deinit { csecret_unref(UnsafeMutableRawPointer(message)) }

  /// The arguments.
  ///
  /// - Throws: ``ServiceError/unknownMethod``, and ``ServiceError/invalidArguments(_:)`` if the method takes other types.
  @discardableResult
  func arguments() throws(ServiceError) -> [TypedVariant] {
    guard let type = InterfaceDescription.arguments(of: member, in: interface) else { throw .unknownMethod }
    let body = g_dbus_message_get_body(message).map { Variant(taking: g_variant_ref($0)) }
    if body == nil, type == "()" { return [] }
    guard let arguments = try? body?.checked(as: type, of: member) else {
      throw .invalidArguments("the arguments of \(member) are \(type)")
    }
    return arguments.parts
  }

  /// A copy of a descriptor passed with the call; `nil` if there is none at this index.
  func passedDescriptor(_ index: Int32) -> Int32? {
    guard let list = g_dbus_message_get_unix_fd_list(message), index >= 0,
      index < g_unix_fd_list_get_length(list)
    else { return nil }
    let descriptor = g_unix_fd_list_get(list, index, nil)
    return descriptor >= 0 ? descriptor : nil
  }

  func answer(_ values: [OpaquePointer] = []) {
    defer { end(nil) }
    let tuple = Argument.tuple(values)
    guard !expectsNothing, let reply = g_dbus_message_new_method_reply(message) else {
      g_variant_unref(g_variant_ref_sink(tuple))
      return
    }
    g_dbus_message_set_body(reply, tuple)
    send(reply)
  }

  /// Runs `body`, which answers the call. An error is the answer.
  func answering(_ body: () throws(ServiceError) -> Void) {
    do throws(ServiceError) { try body() } catch { refuse(error) }
  }

  func refuse(_ error: ServiceError) {
    defer { end(error) }
    let (name, text) = error.told
    guard !expectsNothing, let reply = g_dbus_message_new_method_error_literal(message, name, text) else {
      return
    }
    send(reply)
  }

  private func end(_ error: ServiceError?) {
    onEnd?(error)
    onEnd = nil
  }

  private var expectsNothing: Bool {
    g_dbus_message_get_flags(message).rawValue & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED.rawValue != 0
  }

  private func send(_ reply: OpaquePointer) {
    g_dbus_connection_send_message(connection, reply, G_DBUS_SEND_MESSAGE_FLAGS_NONE, nil, nil)
    csecret_unref(UnsafeMutableRawPointer(reply))
  }
}
