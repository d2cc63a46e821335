import Interchange
import Terminals

/// A source of logins.
protocol ImportSource: AnyObject {
  /// The name the user knows it by: a path, or a program's name.
  var name: String { get }

  /// Finds the logins, in order of preference.
  ///
  /// - Throws: ``Failure`` if any part of the source can't be read.
  func read(progress: (_ done: Int, _ total: Int) -> Void) throws(Failure) -> FoundLogins

  /// The reason why nothing can be removed from it, and what to do instead; `nil` if logins can be removed.
  var whyNotRemovable: Failure? { get }

  /// Removes the given logins, and nothing else. Returns what to tell the user.
  ///
  /// - Throws: ``Failure`` if that can't be done; the source is then unchanged.
  func remove(_ logins: [FoundLogin]) throws(Failure) -> String
}
