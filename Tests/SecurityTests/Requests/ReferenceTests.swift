import Expectations
import Foundation
import Keychain
import Security
import TestSupport
import Testing

@Suite struct ReferenceTests {
  private func filled() throws -> (Calls, Data) {
    let calls = Calls()
    expect(
      calls.add([
        kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: "a",
        kSecAttrSynchronizable: true, kSecValueData: Data("rosebud".utf8),
      ]), is: errSecSuccess)
    let reference = calls.find([
      kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: true, kSecReturnPersistentRef: true,
    ])
    return (calls, try #require(reference as? Data))
  }

  @Test func `a persistent reference finds a synchronizable item, too`() throws {
    let (calls, reference) = try filled()
    expect(calls.password([kSecValuePersistentRef: reference]), is: "rosebud")
    expect(calls.password([kSecMatchItemList: [reference]]), is: "rosebud")
  }

  @Test func `a persistent reference stays while the primary key changes`() throws {
    let (calls, reference) = try filled()
    expect(calls.update([kSecValuePersistentRef: reference], [kSecAttrAccount: "b"]), is: errSecSuccess)
    expect(calls.attributes([kSecValuePersistentRef: reference])?[kSecAttrAccount] as? String, is: "b")
  }

  @Test func `an attribute beside a reference narrows a search, and is refused for a change`() throws {
    let (calls, reference) = try filled()
    let query: [String: Any] = [kSecValuePersistentRef: reference, kSecAttrAccount: "other"]
    expect(calls.status(query), is: errSecItemNotFound)
    expect(calls.delete(query), is: errSecParam)
    expect(calls.update(query, [:]), is: errSecParam)
  }

  @Test func `no other bytes are the reference`() throws {
    let (calls, reference) = try filled()
    for length in 0..<reference.count {
      expect(calls.status([kSecValuePersistentRef: reference.prefix(length)]) != errSecSuccess)
    }
    var random = SeededGenerator(seed: 7)
    for _ in 0..<rounds(2000) {
      let bytes = random.mutated([UInt8](reference))
      if Data(bytes) == reference { continue }
      expect(calls.status([kSecValuePersistentRef: Data(bytes)]) != errSecSuccess)
    }
  }

  @Test func `several items are deleted by a list of references`() throws {
    let calls = Calls()
    for account in ["a", "b", "c"] {
      expect(calls.add([kSecClass: kSecClassGenericPassword, kSecAttrAccount: account]), is: errSecSuccess)
    }
    let references = try ["a", "c"].map { account in
      try #require(
        calls.find([
          kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecReturnRef: true,
        ]))
    }
    expect(calls.delete([kSecMatchItemList: references]), is: errSecSuccess)
    try expect(calls.store.items(matching: .all).map(\.key.account), is: ["b"])
    expect(calls.delete([kSecMatchItemList: [AnyObject]()]), is: errSecItemNotFound)
  }
}
