package import Keychain

/// What is remembered of what a program may do with an item.
package struct ProgramPermission: Hashable, Sendable {
  /// The file that the program runs.
  package let program: String
  /// The item's reference in the keychain.
  package let item: ItemReference
  /// Whether it may read, change and delete the item.
  package let isAllowed: Bool
  /// The item's name for people, where it is known.
  package let name: String

  /// Makes a permission, or a refusal.
  package init(program: String, item: ItemReference, isAllowed: Bool, name: String = "") {
    self.program = program
    self.item = item
    self.isAllowed = isAllowed
    self.name = name
  }
}

/// What a person answers about a program.
package enum ProgramDecision: String, CaseIterable, Sendable {
  /// For this connection.
  case once
  /// For all that the program's file does, until the service ends or the keychain is locked.
  case session
  /// From now on: it is remembered.
  case always
  /// Not now, and not later: it is remembered.
  case never
  /// Not for this connection.
  case no

  /// Whether the program may go on.
  var isPermission: Bool { self == .once || self == .session || self == .always }
}

/// How a person is asked about programs, and what is remembered of the answers.
package struct ProgramAsking {
  /// The program that asks, and the name that it is run as: it reads the question from its standard input and prints a
  /// ``ProgramDecision``.
  package var askingProgram: (path: String, name: String)
  /// What is remembered. It is read for each question, so that people can edit it.
  package var remembered: () -> [ProgramPermission]
  /// Remembers something more. Returns whether that was possible.
  package var remember: ([ProgramPermission]) -> Bool

  /// Makes a way to ask.
  package init(
    askingProgram: (path: String, name: String), remembered: @escaping () -> [ProgramPermission],
    remember: @escaping ([ProgramPermission]) -> Bool
  ) {
    self.askingProgram = askingProgram
    self.remembered = remembered
    self.remember = remember
  }
}

/// What was decided since the service has started, or the keychain was unlocked.
struct ProgramDecisions {
  private var ofConnections: [String: [ItemReference: Bool]] = [:]
  private var ofPrograms: [ByteString: Set<ItemReference>] = [:]
  private var refused: [ByteString: [ItemReference: Int]] = [:]
  /// Who has written an item's secret, and the item's date then.
  private var written: [ItemReference: (writer: ByteString, date: Timestamp?)] = [:]

  /// For how long a program isn't asked about again after a person has refused it an item, in milliseconds.
  static let peace = 60_000

  /// A program as it is known: its file, or else its connection, which nothing else is ever called like.
  private static func name(_ caller: Caller) -> ByteString { ByteString(caller.program ?? caller.connection) }

  /// Whether a caller may use an item; `nil` if that isn't decided.
  func isAllowed(
    _ item: ItemReference, _ date: Timestamp?, _ caller: Caller?, _ remembered: [ProgramPermission], now: Int
  ) -> Bool? {
    guard let caller else { return nil }
    if let decision = ofConnections[caller.connection]?[item] { return decision }
    let name = Self.name(caller)
    if isOwn(item, date, caller) { return true }
    // Which program it is isn't known, so nothing else is known of it.
    guard caller.program != nil else { return nil }
    if ofPrograms[name]?.contains(item) ?? false { return true }
    // A refusal counts more than a permission.
    let permissions = remembered.filter { $0.item == item && ByteString($0.program) == name }
    if !permissions.isEmpty { return permissions.allSatisfy(\.isAllowed) }
    if let refusal = refused[name]?[item], now - refusal < Self.peace { return false }
    return nil
  }

  /// Whether a caller has written what an item has now. What anybody else has changed meanwhile isn't its own.
  func isOwn(_ item: ItemReference, _ date: Timestamp?, _ caller: Caller) -> Bool {
    guard let written = written[item] else { return false }
    return written.writer == Self.name(caller) && written.date == date
  }

  mutating func decide(_ isAllowed: Bool, _ items: [ItemReference], for caller: Caller, now: Int) {
    for item in items { ofConnections[caller.connection, default: [:]][item] = isAllowed }
    if isAllowed || caller.program == nil { return }
    if refused.count > 1000 { refused = [:] }
    for item in items { refused[Self.name(caller), default: [:]][item] = now }
  }

  mutating func allow(_ items: [ItemReference], for caller: Caller) {
    ofPrograms[Self.name(caller), default: []].formUnion(items)
  }

  /// Takes note that a caller has written an item's secret.
  mutating func note(_ item: ItemReference, _ date: Timestamp?, writtenBy caller: Caller) {
    written[item] = (Self.name(caller), date)
  }

  /// Forgets what was decided for a connection that has left the bus.
  mutating func remove(_ connection: String) { ofConnections[connection] = nil }

  /// Forgets everything, because the keychain was locked.
  mutating func removeAll() { self = ProgramDecisions() }
}
