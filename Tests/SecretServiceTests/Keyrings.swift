import Glibc
import Keychain
import Synchronization
import TestSupport

@testable import SecretService

extension SecretServiceKeychain {
  /// Makes an item as another program does, in the collection that is used.
  func makeForeignItem(_ attributes: [String: String], label: String, secret: String) throws -> String {
    let session = try openSession()
    let reply = try service.bus.call(
      service.call(
        "CreateItem", of: Service.collectionInterface, at: try collectionForNewItems(),
        Argument.properties([
          (Service.itemInterface + ".Label", Argument.text(label)),
          (Service.itemInterface + ".Attributes", Argument.texts(attributes)),
        ]), session.seal(Secret(secret)), Argument.bool(false)))
    return reply[0].text
  }

  /// The item at a path as the service has it now.
  func storedItemNow(at path: String) throws -> StoredItem? { try service.items(at: [path]).first }

  /// The stored form of the secret of the item at a path.
  func storedBody(at path: String) throws -> ByteString? {
    let session = try openSession()
    let reply = try service.bus.call(
      service.call("GetSecret", of: Service.itemInterface, at: path, Argument.path(session.path)))
    guard let body = session.open(reply[0]) else { return nil }
    return ByteString(body.revealed)
  }

  /// Unlocks with the password of the collection `login`.
  func unlockLogin() throws {
    try unlock(isKnown: true) { $0 == 1 ? Secret(PrivateKeyring.password) : nil }
  }
}

extension Item {
  /// Where the item lies.
  var path: String? { reference.map { StoredItem.path(of: $0) } }
}

/// Runs the body on threads of their own, all at once, and waits for them.
func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  final class Job {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
  var threads: [pthread_t] = []
  for number in 0..<count {
    var thread = pthread_t()
    let job = Unmanaged.passRetained(Job { body(number) })
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
      }, job.toOpaque())
    threads.append(thread)
  }
  for thread in threads { pthread_join(thread, nil) }
}

/// What several threads have to say.
final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }

  func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
