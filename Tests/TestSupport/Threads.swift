import Glibc
import Synchronization

/// Runs the body on separate threads, all at once, and waits for them.
public func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = (0..<count).map { number in started { body(number) } }
  for thread in threads { pthread_join(thread, nil) }
}

/// Runs the body on a separate thread, without waiting for it.
public func onThreadOfItsOwn(_ body: @escaping @Sendable () -> Void) {
  pthread_detach(started(body))
}

private func started(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  final class Job {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
  var thread = pthread_t()
  let failure = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, Unmanaged.passRetained(Job(body)).toOpaque())
  precondition(failure == 0, "cannot start a thread")
  return thread
}

/// Values collected from several threads.
public final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  /// Creates an empty collection.
  public init() {}

  /// All elements in the order in which they were added.
  public var all: [Element] { elements.withLock { $0 } }

  /// Adds an element.
  public func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
