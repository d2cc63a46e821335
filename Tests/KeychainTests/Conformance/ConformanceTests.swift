import Testing

/// The behaviour that all keychains share. The parts are in the other files in this folder; a new keychain takes one
/// line in `KeychainUnderTest.all`.
@Suite("every keychain") struct ConformanceTests {}
