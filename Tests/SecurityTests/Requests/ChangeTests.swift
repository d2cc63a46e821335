import Expectations
import Foundation
import Keychain
import Security
import TestSupport
import Testing

@Suite struct ChangeTests {
  private var query: [String: Any] { [kSecClass: kSecClassGenericPassword] }

  private static func generic(_ account: String, _ more: [String: Any] = [:]) -> [String: Any] {
    [kSecClass: kSecClassGenericPassword, kSecAttrService: "s", kSecAttrAccount: account]
      .merging(more) { $1 }
  }

  @Test func `the attributes that a search returned can be given back unchanged`() throws {
    let calls = Calls()
    expect(calls.add(Self.generic("a", [kSecAttrComment: "c"])), is: errSecSuccess)
    var attributes = try #require(calls.attributes(Self.generic("a")))
    attributes[kSecClass] = nil
    attributes[kSecAttrComment] = "changed"
    expect(calls.update(Self.generic("a"), attributes), is: errSecSuccess)
    expect(calls.attributes(Self.generic("a"))?[kSecAttrComment] as? String, is: "changed")
    attributes[kSecAttrCreationDate] = Date(timeIntervalSince1970: 0)
    expect(calls.update(Self.generic("a"), attributes), is: errSecReadOnlyAttr)
  }

  @Test func `the attributes that a search returned find that very item`() throws {
    let calls = Calls()
    for account in ["a", "b"] {
      expect(calls.add(Self.generic(account, [kSecAttrIsInvisible: false])), is: errSecSuccess)
    }
    let attributes = try #require(calls.attributes(Self.generic("a")))
    expect(calls.attributes(attributes)?[kSecAttrAccount] as? String, is: "a")
    expect(calls.delete(attributes), is: errSecSuccess)
    try expect(calls.store.items(matching: .all).map(\.key.account), is: ["b"])
  }

  @Test(arguments: KeychainUnderTest.exact)
  func `many threads change one keychain, and nothing is lost`(kind: KeychainUnderTest) throws {
    let fresh = kind.make()
    let shared = SharedStore(store: fresh.keychain)
    DispatchQueue.concurrentPerform(iterations: 24) { number in
      let calls = Calls(shared.store)
      let item = Self.generic("\(number)", [kSecValueData: Data("\(number)".utf8)])
      expect(calls.add(item), is: errSecSuccess)
      expect(calls.password(Self.generic("\(number)")), is: "\(number)")
      expect(calls.update(Self.generic("\(number)"), [kSecAttrComment: "c"]), is: errSecSuccess)
    }
    let found = Calls(fresh.keychain).find(
      query.merging([
        kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll, kSecAttrComment: "c",
      ]) { $1 })
    expect((found as? [[String: Any]])?.count, is: 24)
  }
}

/// A keychain that several threads use, each call under the functions' lock.
private struct SharedStore: @unchecked Sendable {
  let store: any KeychainStore
}
