import Expectations
import Testing

@testable import SecretServiceProvider

@Suite("changes that wait") struct ChangeLinesTests {
  @Test("connections take turns, and each keeps its order")
  func turns() throws {
    var lines = ChangeLines()
    var done: [String] = []
    for change in ["a1", "a2", "a3", "b1", "c1", "b2"] {
      try lines.add({ done.append(change) }, of: String(change.prefix(1)))
    }
    while let next = lines.next() { next() }
    expect(done, is: ["a1", "b1", "c1", "a2", "b2", "a3"])
  }

  @Test("who asks for too many gets an error, and others don't")
  func limits() throws {
    var lines = ChangeLines()
    for _ in 0..<ChangeLines.limit { try lines.add({}, of: "a") }
    #expect(throws: ServiceError.self) { try lines.add({}, of: "a") }
    try lines.add({}, of: "b")
    lines.remove(of: "a")
    try lines.add({}, of: "a")
    var count = 0
    while lines.next() != nil { count += 1 }
    expect(count, is: 2)
    for owner in 0..<10 { for _ in 0..<ChangeLines.limit { try lines.add({}, of: "\(owner)") } }
    #expect(throws: ServiceError.self) { try lines.add({}, of: "c") }
  }
}
