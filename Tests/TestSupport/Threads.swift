import Glibc
import Synchronization

/// Runs the body on threads of their own, all at once, and waits for them.
public func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
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
public final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  /// Nothing yet.
  public init() {}

  /// All of it, in the order in which it came.
  public var all: [Element] { elements.withLock { $0 } }

  /// Adds something.
  public func append(_ element: Element) { elements.withLock { $0.append(element) } }
}
