import Expectations
import Keychain
import Testing

@testable import SecretServiceProvider

@Suite("changes that wait") struct ChangeLinesTests {
  private static func waiting(_ subject: ChangeSubject = .all) -> WaitingChange {
    WaitingChange(subject: subject) { nil }
  }

  @Test("connections take turns, and each keeps its order")
  func turns() throws {
    var lines = ChangeLines()
    for name in ["a1", "a2", "a3", "b1", "c1", "b2"] {
      try lines.add(Self.waiting(.item(name)), of: String(name.prefix(1)))
    }
    let paths = lines.next(atMost: 5).compactMap { change in
      if case .item(let path) = change.subject { path } else { nil }
    }
    expect(paths, is: ["a1", "b1", "c1", "a2", "b2"])
    expect(lines.next(atMost: 5).count, is: 1)
    expect(lines.next(atMost: 5).isEmpty)
  }

  private static func attributes(_ value: ByteString, generic: Bool = false) -> LookupAttributes {
    var attributes = LookupAttributes()
    attributes["a"] = value
    if generic { attributes["xdg:schema"] = "org.freedesktop.Secret.Generic" }
    return attributes
  }

  /// Changes in their order, and how many of them are the first write.
  private static let writes: [([ChangeSubject], Int)] = [
    ([.new(attributes("1")), .new(attributes("2")), .new(attributes("1"))], 2),
    ([.replacing(attributes("1")), .replacing(attributes("2")), .new(attributes("3"))], 3),
    ([.replacing(attributes("1")), .replacing(attributes("1", generic: true))], 1),
    ([.new(attributes("1")), .replacing(attributes("1"))], 1),
    ([.item("x"), .item("y"), .new(attributes("1"))], 3), ([.item("x"), .item("y"), .item("x")], 2),
    ([.item("x"), .replacing(attributes("1"))], 1), ([.replacing(attributes("1")), .item("x")], 1),
    ([.all, .new(attributes("1"))], 1), ([.new(attributes("1")), .all], 1), ([.all, .all], 1),
    // The line isn't jumped.
    ([.item("x"), .item("x"), .item("y")], 1),
  ]

  @Test("those that don't depend on each other are one write", arguments: writes.indices)
  func together(_ index: Int) throws {
    let (subjects, count) = Self.writes[index]
    var lines = ChangeLines()
    for subject in subjects { try lines.add(Self.waiting(subject), of: "a") }
    expect(lines.next(atMost: 200).count, is: count)
    expect(lines.next(atMost: 1).count, is: min(1, subjects.count - count))
  }

  @Test("who asks for too many gets an error, and others don't")
  func limits() throws {
    var lines = ChangeLines()
    for _ in 0..<ChangeLines.limit { try lines.add(Self.waiting(), of: "a") }
    #expect(throws: ServiceError.self) { try lines.add(Self.waiting(), of: "a") }
    try lines.add(Self.waiting(), of: "b")
    lines.remove(of: "a")
    try lines.add(Self.waiting(), of: "a")
    var count = 0
    while !lines.next(atMost: 200).isEmpty { count += 1 }
    expect(count, is: 2)
    for owner in 0..<10 { for _ in 0..<ChangeLines.limit { try lines.add(Self.waiting(), of: "\(owner)") } }
    #expect(throws: ServiceError.self) { try lines.add(Self.waiting(), of: "c") }
  }
}
