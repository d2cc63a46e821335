package import PrivateFiles

extension StandardStreams {
  /// Warns that a change already in place may not survive a loss of power.
  package static func warn(_ durability: Durability) {
    guard case .unsure(let error) = durability else { return }
    say("this is done, but may not survive a loss of power: \(error.message)")
  }
}
