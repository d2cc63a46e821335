/// The exit status of a command; see llavero(1), "EXIT STATUS".
public enum ExitStatus: Int32, Sendable {
  /// It did what was asked.
  case done = 0
  /// The keychain has no such item, or nothing was to be done.
  case nothingMatched = 1
  /// The keychain could not be used.
  case keychain = 2
  /// The call is wrong.
  case usage = 64
}
