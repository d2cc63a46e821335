import Testing

/// What every keychain does alike. The parts are in the other files of this folder; a new keychain is one line in
/// `KeychainUnderTest.all`.
@Suite("every keychain") struct ConformanceTests {}
