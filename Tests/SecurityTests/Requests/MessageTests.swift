import Expectations
import Security
import Testing

@Suite struct MessageTests {
  @Test(arguments: [
    (errSecSuccess, "No error."),
    (errSecDuplicateItem, "The specified item already exists in the keychain."),
    (errSecItemNotFound, "The specified item could not be found in the keychain."),
    (errSecParam, "One or more parameters passed to a function were not valid."),
    (-12_345, "OSStatus -12345"),
  ])
  func `a status has the sentence of Keychain Services`(status: OSStatus, message: String) {
    expect(SecCopyErrorMessageString(status, nil), is: message)
  }
}
