/// The exit status of a command, as documented in llavero(1) under "EXIT STATUS".
///
/// Which one an error has is said where its message is made: for the errors of keychains in the files beside this one
/// whose names end in `Text`, for those of a command where it fails.
package enum ExitStatus: Int32 {
  case done = 0
  case nothingMatched = 1
  case keychain = 2
  case usage = 64
}
