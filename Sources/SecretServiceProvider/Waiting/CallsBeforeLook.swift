/// Calls that wait for a look at the file, in order of arrival.
struct CallsBeforeLook {
  /// How long calls wait for a look, in milliseconds. The look itself waits while a change by the service waits for
  /// another program's lock.
  static let patience = 2000

  private struct Waiting {
    let owner: String
    let look: Int
    let body: () -> Void
  }
  private var waiting: [Waiting] = []
  private var counts: [String: Int] = [:]

  var isEmpty: Bool { waiting.isEmpty }

  func has(of owner: String) -> Bool { counts[owner] != nil }

  /// Adds a job at the end.
  ///
  /// - Parameters:
  ///   - owner: the connection that it is for.
  ///   - look: the number of the first look that is late enough for it.
  mutating func add(of owner: String, before look: Int, _ body: @escaping () -> Void) {
    waiting.append(Waiting(owner: owner, look: look, body: body))
    counts[owner, default: 0] += 1
  }

  /// Removes and returns the jobs that need wait no longer.
  ///
  /// - Parameter look: the number of the look that has ended; `nil` for all jobs.
  mutating func take(after look: Int?) -> [() -> Void] {
    let taken = look.map { look in waiting.prefix { $0.look <= look } } ?? waiting[...]
    waiting.removeFirst(taken.count)
    for one in taken { counts[one.owner] = counts[one.owner].flatMap { $0 > 1 ? $0 - 1 : nil } }
    return taken.map(\.body)
  }
}
