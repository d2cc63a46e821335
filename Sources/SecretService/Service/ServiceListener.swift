import Bytes
import CSecret
import Keychain
import Synchronization

/// Listens to the service's signals about its items (Secret Service API, "Signals"), and to its end and restart. Has a
/// connection and a thread of its own, until there are no more subscribers.
final class ServiceListener: @unchecked Sendable {
  // Unchecked is sound: the connection and the context are used by `init` and then only by the one thread, except for
  // waking up the context, which any thread may do.
  private let context = MainContext()
  private var bus: SessionBus?
  private var subscriptions: [UInt32] = []
  private let sink = Sink()

  /// Connects, and receives all signals sent after this returns.
  ///
  /// - Parameters:
  ///   - patience: how long connecting may take, in milliseconds.
  ///   - timeout: how long each reply may take, in milliseconds.
  init(at address: BusAddress, patience: Int, timeout: Int) throws(BusFailure) {
    let sink = sink
    let bus = try context.calling { () throws(BusFailure) in
      try SessionBus(address, patience: patience, timeout: timeout)
    }
    self.bus = bus
    _ = try bus.call(.hello)
    context.calling {
      bus.withConnection { connection in
        subscriptions = [Interface.collection, Interface.service, Interface.bus].map {
          BusPeer(nil, on: connection).listen(to: nil, of: $0, sink.take)
        }
        Self.noteClosing(of: connection, sink)
      }
    }
    // By its well-known name, so that a program that replaces the service is heard as well.
    let name = BusName.service
    for rule in [
      "sender='\(name)',interface='\(Interface.collection)'",
      "sender='\(name)',interface='\(Interface.service)'",
      "sender='\(BusName.bus)',interface='\(Interface.bus)',member='NameOwnerChanged',arg0='\(name)'",
    ] {
      _ = try bus.call(.ofBus("AddMatch", Argument.text("type='signal'," + rule)))
    }
    sink.setOwner(try Self.owner(bus))
    guard startThread("keychain-bus", { self.work() }) else {
      throw BusFailure(call: "AddMatch", .broken(detail: "there can be no further thread"))
    }
  }

  /// Calls `report` at each change; `nil` if the listener no longer receives anything.
  func subscribe(_ report: @escaping @Sendable () -> Void) -> ChangeSubscription? {
    guard sink.begin() else { return nil }
    // Any thread may wake it up.
    nonisolated(unsafe) let context = context
    return sink.broadcast.subscribe(report) { [sink] in
      if sink.end() { context.wakeUp() }
    }
  }

  /// Why it no longer receives anything, despite subscribers; `nil` if it does.
  var fault: KeychainError? {
    sink.hasLostBus ? .unavailable(reason: "the session bus has hung up") : nil
  }

  var changeNumbers: ChangeNumbers { sink.changeNumbers }

  /// The unique name of the service; `nil` if there is none.
  private static func owner(_ bus: SessionBus) throws(BusFailure) -> String? {
    do throws(BusFailure) {
      return try bus.owner(of: BusName.service)
    } catch {
      if error.isAboutMissingService { return nil }
      throw error
    }
  }

  private func work() {
    context.run { sink.isDone }
    context.calling {
      bus?.withConnection { connection in
        for subscription in subscriptions { g_dbus_connection_signal_unsubscribe(connection, subscription) }
        csecret_forget_closing(connection, Unmanaged.passUnretained(sink).toOpaque())
        g_dbus_connection_close_sync(connection, nil, nil)
      }
    }
    bus = nil
  }

  private static func noteClosing(of connection: OpaquePointer, _ sink: Sink) {
    csecret_on_closing(
      connection,
      { data in
        Unmanaged<Sink>.fromOpaque(data).takeUnretainedValue().lose()
      }, Unmanaged.passUnretained(sink).toOpaque())
  }
}

private final class Sink: Sendable {
  private struct State {
    var subscribers = 0
    var isDone = false
    var hasLostBus = false
    var changeNumbers = ChangeNumbers()
    var owner: String?
  }

  let broadcast = ChangeBroadcast()
  private let state = Mutex(State())

  var isDone: Bool { state.withLock { $0.isDone } }
  var hasLostBus: Bool { state.withLock { $0.hasLostBus } }
  var changeNumbers: ChangeNumbers { state.withLock { $0.changeNumbers } }

  func setOwner(_ owner: String?) { state.withLock { $0.owner = owner } }

  /// Counts a subscriber. Returns whether it will receive anything.
  func begin() -> Bool {
    state.withLock { state in
      if !state.isDone { state.subscribers += 1 }
      return !state.isDone
    }
  }

  /// Removes a subscriber. Returns whether it was the last.
  func end() -> Bool {
    state.withLock { state in
      state.subscribers -= 1
      if state.subscribers == 0 { state.isDone = true }
      return state.subscribers == 0
    }
  }

  func lose() {
    state.withLock { state in
      state.isDone = true
      state.hasLostBus = true
    }
    broadcast.report()
  }

  /// Handles a signal from the bus or the service. Similar ones from other programs are ignored.
  func take(_ signal: BusSignal) {
    let member = signal.member
    if signal.sender == BusName.bus {
      guard member == "NameOwnerChanged", let change = signal.parameters("(sss)"),
        change[0].text == BusName.service
      else { return }
      let owner = change[2].text
      setOwner(owner.isEmpty ? nil : owner)
      return broadcast.report()
    }
    let (sender, path) = (signal.sender, signal.parameters("(o)")?[0].text)
    let isKnown = state.withLock { state in
      guard sender == state.owner else { return false }
      if let path {
        // gnome-keyring announces an item that replaces another as created once more.
        if member == "ItemChanged" || member == "ItemCreated" { state.changeNumbers.change(path) }
        if member == "ItemDeleted" { state.changeNumbers.forget(path) }
      }
      return true
    }
    if isKnown { broadcast.report() }
  }
}
