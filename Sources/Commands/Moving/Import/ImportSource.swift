import Interchange
import Terminals

/// Where logins come from.
protocol ImportSource: AnyObject {
  /// What a person knows it by: a path, or a program's name.
  var name: String { get }

  /// Finds the logins, in the order in which they are to be preferred.
  ///
  /// - Throws: ``Failure`` if it can't be read as a whole.
  func read(progress: (_ done: Int, _ total: Int) -> Void) throws(Failure) -> FoundLogins

  /// That nothing can be removed from it, and what to do instead; `nil` if it can.
  var whyNotRemovable: Failure? { get }

  /// Removes logins that were found, and nothing else. Returns what to tell the person.
  ///
  /// - Throws: ``Failure`` if that can't be done; then the source is as it was.
  func remove(_ logins: [FoundLogin]) throws(Failure) -> String
}
