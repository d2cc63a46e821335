import Expectations
import Keychain
import TestSupport
import Testing

extension ConformanceTests {
  @Suite("refused questions") struct RefusedQuestions {
    @Test("a question without a protocol is refused", arguments: [nil, ""] as [ByteString?])
    func noProtocol(name: ByteString?) {
      #expect(throws: KeychainError.queryTooBroad(.noProtocol)) {
        try InternetPasswordQuery(protocol: name, server: "example.com", account: "alice", path: "acme")
      }
    }

    @Test("a question with neither server nor path is refused", arguments: [nil, ""] as [ByteString?])
    func noServer(blank: ByteString?) {
      #expect(throws: KeychainError.queryTooBroad(.noServer)) {
        try InternetPasswordQuery(protocol: "https", server: blank, port: 443, account: "alice", path: blank)
      }
    }

    @Test("a question for a service without a name is refused")
    func noService() {
      #expect(throws: KeychainError.queryTooBroad(.noService)) {
        try GenericPasswordQuery(service: "", account: "alice")
      }
    }

    @Test("a key that names too little makes no question")
    func keys() {
      #expect(throws: KeychainError.queryTooBroad(.noServer)) { try ItemQuery(for: Item.internet(nil).key) }
      #expect(throws: KeychainError.queryTooBroad(.noProtocol)) {
        try ItemQuery(for: Item.internet(protocol: "").key)
      }
      #expect(throws: KeychainError.queryTooBroad(.noService)) { try ItemQuery(for: Item.generic("").key) }
    }

    @Test("a key's question asks for just its place and account")
    func keyQuery() throws {
      let item = Item.internet(
        account: "a", path: "p", port: 8443, domain: "docker", authenticationType: "form")
      let query = try ItemQuery.internet(account: "a", path: "p", port: 8443, domain: "docker")
      try expect(ItemQuery(for: item.key), is: query)
      try expect(ItemQuery(for: Item.generic("s", account: "a").key), is: .generic("s", account: "a"))
    }
  }
}
