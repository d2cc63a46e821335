/// The exit status of a command; see llavero(1), "EXIT STATUS". A keychain's errors get theirs in the `*Text` files
/// beside this one, a command's own where it fails.
package enum ExitStatus: Int32 {
  case done = 0
  case nothingMatched = 1
  case keychain = 2
  case usage = 64
}
