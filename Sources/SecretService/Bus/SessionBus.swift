import CSecret
import Glibc
import Keychain

package final class SessionBus {
  private let connection: OpaquePointer
  /// The context for asynchronous calls and signals.
  let context = MainContext()
  /// How long a reply may take, in milliseconds.
  let timeout: Int
  private var hasLostPeer = false

  /// Connects to the bus. The first call must be ``Call/hello``.
  ///
  /// - Parameters:
  ///   - patience: how long that may take, in milliseconds.
  ///   - timeout: how long each reply may take, in milliseconds.
  init(_ address: BusAddress, patience: Int, timeout: Int) throws(BusFailure) {
    self.timeout = timeout
    let descriptor = try BusHandshake.connect(to: address, patience: patience) {
      withSignalsBlocked(csecret_prepare_connection)
    }
    var error: UnsafeMutablePointer<GError>?
    guard let connection = withSignalsBlocked({ csecret_connection_new(descriptor, &error) }) else {
      throw BusFailure(error, call: "Hello", timeout: patience)
    }
    self.connection = connection
  }

  /// A connection for a few calls, which may take five seconds each; `nil` without a bus.
  package static func connected() -> SessionBus? {
    guard let address = try? BusAddress.find(),
      let bus = try? SessionBus(address, patience: 5000, timeout: 5000), (try? bus.call(.hello)) != nil
    else { return nil }
    return bus
  }

  deinit { csecret_unref(UnsafeMutableRawPointer(connection)) }

  /// Calls a method without arguments. A program that doesn't run is not started.
  package func call(
    _ method: String, of interface: String, at path: String, to name: String
  ) throws(BusFailure) -> Variant {
    try BusPeer(name, on: connection).call(method, of: interface, at: path, timeout: timeout)
  }

  /// Lends the connection to libsecret.
  func withConnection<Result, Failure: Error>(
    _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(connection) }

  /// Whether the connection is unusable: the bus has closed it, or a program called by its unique name has left the
  /// bus. Unique names are never reused.
  var isLost: Bool { hasLostPeer || g_dbus_connection_is_closed(connection) != 0 }

  /// Takes over and frees a GLib error of a call to `destination`.
  func failure(
    _ error: UnsafeMutablePointer<GError>?, call: String, to destination: String, timeout: Int? = nil
  ) -> BusFailure {
    let failure = BusFailure(error, call: call, timeout: timeout ?? self.timeout)
    if destination.hasPrefix(":"), failure.isAboutAbsence { hasLostPeer = true }
    return failure
  }

  func call(_ call: Call) throws(BusFailure) -> Variant {
    var error: UnsafeMutablePointer<GError>?
    let reply = g_dbus_connection_call_sync(
      connection, call.destination, call.path, call.interface, call.method, call.arguments, nil,
      G_DBUS_CALL_FLAGS_NONE, Int32(timeout), nil, &error)
    guard let reply else { throw failure(error, call: call.method, to: call.destination) }
    return Variant(taking: reply)
  }

  /// The process that owns a name; `nil` if nobody does.
  package func process(of name: String) -> UInt32? {
    let call = "GetConnectionUnixProcessID"
    let reply = try? self.call(.ofBus(call, Argument.text(name))).checked(as: "(u)", of: call)
    return reply.map { UInt32($0[0].number) }
  }

  /// The unique name of the owner of a well-known name.
  func owner(of name: String) throws(BusFailure) -> String { try Self.owner(in: call(.owner(of: name))) }

  /// The unique name in the reply to ``Call/owner(of:)``.
  static func owner(in reply: Variant) throws(BusFailure) -> String {
    try reply.checked(as: "(s)", of: "GetNameOwner")[0].text
  }

  /// Makes calls without waiting for each reply before the next call, and returns the replies in order.
  ///
  /// - Parameters:
  ///   - patience: how long each may take in place of ``timeout``, in milliseconds.
  ///   - meanwhile: called after the first calls were sent.
  func replies(
    to calls: [Call], patience: Int? = nil, meanwhile: () -> Void = {}
  ) -> [Result<Reply, BusFailure>] {
    let timeout = patience ?? self.timeout
    var outcomes: [AsyncOutcome] = []
    var replies: [Result<Reply, BusFailure>] = []
    while replies.count < calls.count {
      // Only a few at a time, so that no call's time limit elapses in a queue.
      while outcomes.count < min(calls.count, replies.count + 8) {
        outcomes.append(context.calling { send(calls[outcomes.count], timeout) })
      }
      if replies.isEmpty { meanwhile() }
      let outcome = outcomes[replies.count]
      context.run { outcome.isDone }
      replies.append(reply(of: outcome, to: calls[replies.count], timeout))
    }
    return replies
  }

  private func send(_ call: Call, _ timeout: Int) -> AsyncOutcome {
    guard
      let message = g_dbus_message_new_method_call(call.destination, call.path, call.interface, call.method)
    else { preconditionFailure("no call: \(call)") }
    defer { csecret_unref(UnsafeMutableRawPointer(message)) }
    if let arguments = call.arguments { g_dbus_message_set_body(message, arguments) }
    let outcome = AsyncOutcome()
    g_dbus_connection_send_message_with_reply(
      connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, Int32(timeout), nil, nil, AsyncOutcome.callback,
      outcome.data)
    return outcome
  }

  private func reply(of outcome: AsyncOutcome, to call: Call, _ timeout: Int) -> Result<Reply, BusFailure> {
    var error: UnsafeMutablePointer<GError>?
    let message = g_dbus_connection_send_message_with_reply_finish(connection, outcome.result, &error)
    guard let message else {
      return .failure(failure(error, call: call.method, to: call.destination, timeout: timeout))
    }
    defer { csecret_unref(UnsafeMutableRawPointer(message)) }
    if g_dbus_message_to_gerror(message, &error) != 0 {
      return .failure(failure(error, call: call.method, to: call.destination, timeout: timeout))
    }
    let sender = g_dbus_message_get_sender(message).map { String(cString: $0) } ?? ""
    let body = g_dbus_message_get_body(message).map { Variant(taking: g_variant_ref($0)) }
    return .success(
      Reply(body: body ?? Variant(taking: g_variant_ref_sink(Argument.tuple([]))), sender: sender))
  }

  struct Reply {
    var body: Variant
    let sender: String
  }

  /// Listens for a signal of one object.
  ///
  /// - Parameter sender: a unique name. Signals of other senders are ignored: the bus delivers messages addressed to
  ///   this connection, whatever was subscribed to.
  func signal(
    _ name: String, of interface: String, at path: String, from sender: String
  ) throws(BusFailure) -> Signal {
    let rule = "type='signal',sender='\(sender)',interface='\(interface)',member='\(name)',path='\(path)'"
    _ = try call(.ofBus("AddMatch", Argument.text(rule)))
    let signal = Signal()
    signal.subscription = context.calling {
      BusPeer(nil, on: connection).listen(to: name, of: interface, at: path) {
        if signal.parameters == nil, $0.sender == sender { signal.parameters = $0.parameters }
      }
    }
    return signal
  }

  func stop(_ signal: Signal) { g_dbus_connection_signal_unsubscribe(connection, signal.subscription) }

  final class Signal {
    fileprivate var subscription: UInt32 = 0
    /// The parameters of the first signal, once received.
    fileprivate(set) var parameters: Variant?
  }

  struct Call {
    let method: String
    let interface: String
    let path: String
    var destination: String
    /// A floating tuple, which the call takes over.
    let arguments: OpaquePointer?
  }
}

extension SessionBus.Call {
  /// The first call on every connection, which gets its name.
  static var hello: SessionBus.Call { .ofBus("Hello") }

  /// Asks for the owner of a well-known name (D-Bus specification, "GetNameOwner"). Starts nothing.
  static func owner(of name: String) -> SessionBus.Call { .ofBus("GetNameOwner", Argument.text(name)) }

  /// A call to the bus itself.
  static func ofBus(_ method: String, _ arguments: OpaquePointer...) -> SessionBus.Call {
    SessionBus.Call(
      method: method, interface: Interface.bus, path: ObjectPath.bus, destination: BusName.bus,
      arguments: Argument.tuple(arguments))
  }
}

/// Runs `body`, which starts GLib threads. Blocks all signals in these threads, and keeps GLib from changing the
/// process's handling of SIGPIPE.
///
/// GLib ignores SIGPIPE in the whole process when it makes its first socket, although it sends with MSG_NOSIGNAL where
/// that exists. A signal delivered to a thread that hasn't blocked it has its default effect: the end of a child is
/// forgotten, and SIGTERM ends the process, even if the program's own thread has blocked both to wait for them.
private func withSignalsBlocked<Result>(_ body: () -> Result) -> Result {
  var all = sigset_t()
  var before = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_SETMASK, &all, &before)
  var (action, actionNow) = (sigaction(), sigaction())
  sigaction(SIGPIPE, nil, &action)
  defer {
    sigaction(SIGPIPE, nil, &actionNow)
    if !isIgnored(action), isIgnored(actionNow) { sigaction(SIGPIPE, &action, nil) }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
  return body()
}

private func isIgnored(_ action: sigaction) -> Bool {
  unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
