package import PrivateFiles

extension StandardStreams {
  /// Says that a change which is in place may not survive a loss of power, if that is so.
  package static func warn(_ durability: Durability) {
    guard case .unsure(let error) = durability else { return }
    say("this is done, but may not survive a loss of power: \(Failure(error).message)")
  }
}
