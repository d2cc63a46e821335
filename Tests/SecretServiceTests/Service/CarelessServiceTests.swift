import Expectations
import Keychain
import TestSupport
import Testing

@testable import SecretService

@Suite("a service that is careless", .timeLimit(.minutes(60))) struct CarelessServiceTests {
  private let service: FakeService

  init() throws { service = try FakeService() }

  @Test("an item is used wherever the service has it")
  func oddPath() throws {
    service.change { state in
      state.items["/odd/1"] = FakeService.Item(
        attributes: ["protocol": "https", "server": "odd.example", "user": "bob"], label: "odd",
        secret: Array("of odd".utf8))
    }
    let keychain = try service.keychain()
    try expect(keychain.answeredSecret(.internet("odd.example")), is: "of odd")
    try expect(keychain.erase(.internet("odd.example")), is: 1)
    expect(service.items.count, is: 1)
  }

  @Test("an item that is listed twice is one")
  func listedTwice() throws {
    let path = FakeService.login + "/1"
    service.change { state in
      state.collections[FakeService.work] = nil
      state.properties["Collection.Items"] = FakeService.paths([path, path])
    }
    try expect(service.keychain().items(matching: .all).count, is: 1)
    try expect(service.keychain().revisions().count, is: 1)
    service.reset()
    service.change {
      $0.properties["Service.Collections"] = FakeService.paths([FakeService.login, FakeService.login])
    }
    try expect(service.keychain().items(matching: .all).count, is: 1)
  }

  @Test("an item whose attributes can't be changed stays as it is where no new one can take its place")
  func losesAttributes() throws {
    for losesSecret in [false, true] {
      service.reset()
      service.change { $0.losesAttributes = (true, true) }
      let keychain = try service.keychain()
      let item = try #require(try keychain.find(.internet()).first)
      var changed = item
      changed.comment = "new"
      let error = failure {
        if losesSecret { try keychain.update(changed, .text("new")) } else { try keychain.update(changed) }
      }
      guard case .refused("CreateItem", error: "", _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try expect(keychain.find(.internet()).count, is: 1)
    }
    // And one that creates items correctly replaces the item with a new one.
    service.reset()
    service.change { $0.losesAttributes = (false, true) }
    let keychain = try service.keychain()
    var changed = try keychain.find(.internet())[0]
    changed.comment = "new"
    try expect(keychain.update(changed).comment, is: "new")
    try expect(keychain.answeredSecret(.internet()), is: "s3cret")
    expect(service.items.count, is: 1)
  }

  @Test("a new item that loses its attributes is said to be refused, and not to be missing")
  func makesNothingUseful() throws {
    service.change { $0.losesAttributes = (true, false) }
    guard
      case .refused("CreateItem", error: "", _)? = failure({
        try service.keychain().add(.internet("new.example"), "new")
      })
    else {
      Issue.record("it is taken for stored, or for missing")
      return
    }
  }

  @Test("a service that says to have made an item which was there before loses none")
  func madeNothing() throws {
    let path = FakeService.login + "/1"
    service.change { $0.replies["CreateItem"] = "(objectpath '\(path)', objectpath '/')" }
    #expect(throws: KeychainError.self) { try service.keychain().add(.internet("new.example"), "new") }
    expect(service.items[path] != nil)
  }

  @Test("a dismissed prompt that names an item which was there before deletes nothing")
  func dismissalWithForeignItem() throws {
    service.change { state in
      state.prompting = ["CreateItem"]
      state.ending = .dismissed
      state.dismissal = "objectpath '\(FakeService.login)/1'"
    }
    #expect(throws: KeychainError.self) { try service.keychain().add(.internet("new.example"), "new") }
    expect(service.items.count, is: 1)
  }

  @Test("what a service says of an error is shown up to a length")
  func longError() throws {
    service.change { state in
      state.errors["SearchItems"] = "org.freedesktop.DBus.Error.Failed"
      state.errorText = String(repeating: "é", count: 100_000)
    }
    guard case .refused("SearchItems", _, let detail)? = failure({ try service.keychain().find(.internet()) })
    else {
      Issue.record("no error")
      return
    }
    expect(detail.count <= 301 && detail.hasPrefix("éé"))
  }

  @Test(
    "one that fails in the middle of a change leaves each part as it was or as it is to be", arguments: 0..<4)
  func failsInBetween(changes: Int) throws {
    let path = FakeService.login + "/1"
    let before = try #require(service.items[path])
    let keychain = try service.keychain()
    var item = try keychain.find(.internet())[0]
    (item.comment, item.label) = ("new", "new")
    service.change { $0.changesLeft = changes }
    let error = failure { try keychain.update(item, .text("new")) }
    expect(error == nil, is: changes >= 3)
    let after = try #require(service.items[path])
    expect(service.items.count, is: 1)
    expect(after.secret, is: changes > 0 ? Array("new".utf8) : before.secret)
    expect(after.attributes == before.attributes, is: changes < 2)
    expect(after.label == before.label, is: changes < 3)
    service.change { $0.changesLeft = nil }
    try expect(keychain.update(item, .text("new")).comment, is: "new")
    try expect(keychain.answeredSecret(.internet()), is: "new")
  }

  @Test("one that fails in the middle of several changes keeps those before", arguments: 0..<4)
  func failsInBetweenSeveral(changes: Int) throws {
    let keychain = try service.keychain()
    let item = try keychain.find(.internet())[0]
    func run() throws {
      try keychain.exclusively { () throws(KeychainError) in
        try keychain.save(.internet("one.example", account: "a"), .text("one"))
        try keychain.save(.internet("two.example", account: "a"), .text("two"))
        try keychain.delete([item])
      }
    }
    service.change { $0.changesLeft = changes }
    expect(failure { try run() } == nil, is: changes == 3)
    let labels = service.items.values.map(\.label).sorted()
    let all = ["https://one.example (a)", "https://two.example (a)"]
    expect(labels, is: changes == 3 ? all : ["example.com"] + all.prefix(changes))
    service.change { $0.changesLeft = nil }
    try run()
    expect(service.items.values.map(\.label).sorted(), is: all)
  }
}
