package import SecretService

/// The program that provides the Secret Service now.
package struct NameOwner {
  /// Whether it is llavero.
  package let isOurs: Bool
  /// The program's name, as far as it can be told.
  package let program: String?

  private static func connect(_ address: BusAddress) throws(BusFailure) -> ProviderConnection {
    try ProviderConnection(
      address.text,
      ProviderConnection.Events(
        onCall: { $0.refuse(.unknownObject) }, onDeparture: { _ in }, onLoss: { _ in }, onEnd: {}))
  }

  /// Makes the bus read its activation files again: a folder that was made after its start is not watched.
  package static func rereadActivation(_ address: BusAddress) { try? connect(address).reloadConfiguration() }

  /// Asks the bus, which starts nothing for that. `nil` if nobody has the name.
  ///
  /// - Throws: ``BusFailure`` if the bus can't be used.
  package static func find(_ address: BusAddress) throws(BusFailure) -> NameOwner? {
    let bus = try connect(address)
    guard let process = bus.process(of: Provider.name) else { return nil }
    return NameOwner(
      isOurs: bus.process(of: Provider.ownName) == process,
      program: programName(of: UInt32(clamping: process)))
  }
}
