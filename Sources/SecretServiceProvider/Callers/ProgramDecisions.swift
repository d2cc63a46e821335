import Keychain

/// A remembered decision about a program and an item.
struct ProgramPermission: Hashable, Sendable {
  let program: String
  let item: ItemReference
  /// The mark that the item must have for the program to read, change and delete it; `nil` for a refusal.
  let mark: String?
  /// The item's name for people, if known.
  var name = ""
}

enum ProgramDecision: String, CaseIterable, Sendable {
  /// For this connection.
  case once
  /// For everything that runs the program's file, until the service ends or the keychain is locked.
  case session
  /// Yes, and remembered.
  case always
  /// No, and remembered.
  case never
  /// Not for this connection.
  case no

  var isPermission: Bool { self == .once || self == .session || self == .always }
}

/// How people are asked about programs, and where the answers are kept.
struct ProgramAsking {
  /// The program that asks, and the name to run it as. It reads the question from standard input and prints one of the
  /// ``ProgramDecision`` values in its arguments. `nil` if nobody is to be asked: undecided items are then refused.
  var askingProgram: (path: String, name: String)?
  /// The remembered decisions, read for each question, so that people can edit them.
  var remembered: () -> [ProgramPermission]
  /// Remembers more decisions. Returns whether that was possible.
  var remember: ([ProgramPermission]) -> Bool
}

/// Decisions since the service started; permissions only since the keychain was last locked.
struct ProgramDecisions {
  /// The items that a connection or a program's file may use, with the marks they had when a person agreed. An item
  /// that has become another login since is asked about again.
  private var allowed: [ByteString: [ItemReference: String]] = [:]
  /// Until when items are refused to a connection or a program's file, in milliseconds. A refusal follows the item,
  /// whatever it becomes.
  private var refused: [ByteString: [ItemReference: Int]] = [:]
  /// How many questions about a program were answered no in a row, each within a minute of the one before, and when the
  /// last one was.
  private var rows: [ByteString: (count: Int, last: Int)] = [:]
  /// Who wrote an item's secret, and the item's date at that time.
  private var written: [ItemReference: (writer: ByteString, date: Timestamp?)] = [:]

  /// How long a program isn't asked about again after a refusal, in milliseconds.
  static let peace = 60_000
  /// How many refusals in a row stop all questions about a program for that time.
  static let patience = 3

  /// Whether a caller may use an item; `nil` if undecided.
  func isAllowed(
    _ item: ServedItem, _ caller: BusCaller?, _ remembered: [ProgramPermission], now: Int
  ) -> Bool? {
    guard let stored = item.item, let reference = stored.reference else { return true }
    guard let caller else { return nil }
    let connection = ByteString(caller.connection)
    // A refusal outweighs a permission.
    var marks: [String] = []
    for permission in remembered
    where permission.item == reference && ByteString(permission.program) == caller.identity {
      guard let mark = permission.mark else { return false }
      marks.append(mark)
    }
    for name in [connection, caller.group] {
      if let end = refused[name]?[reference], now < end { return false }
    }
    if isOwn(stored, caller) { return true }
    for name in [connection, Self.name(caller)] {
      if let mark = allowed[name]?[reference] { marks.append(mark) }
    }
    if !marks.isEmpty, marks.contains(item.mark) { return true }
    // A program that asks for one item after another gets no more questions.
    if let row = rows[caller.group], row.count >= Self.patience, now - row.last < Self.peace { return false }
    return nil
  }

  /// Whether a caller wrote the present contents of an item. After a change by anybody else they aren't its own.
  func isOwn(_ item: Item, _ caller: BusCaller) -> Bool {
    guard let reference = item.reference, let written = written[reference] else { return false }
    return written.writer == Self.name(caller) && written.date == item.modificationDate
  }

  /// Allows items to a connection, or to everything that runs its program's file.
  mutating func allow(_ items: [ServedItem], to caller: BusCaller, forProgram isForProgram: Bool) {
    let name = isForProgram ? Self.name(caller) : ByteString(caller.connection)
    for item in items {
      if let reference = item.item?.reference { allowed[name, default: [:]][reference] = item.mark }
    }
  }

  /// Refuses items to a connection as long as it exists, and for a while to its program, or to all unidentified
  /// programs.
  ///
  /// - Parameter isForever: whether to refuse them to the program until the service ends.
  mutating func refuse(
    _ items: [ServedItem], to caller: BusCaller, forever isForever: Bool = false, now: Int
  ) {
    let group = caller.group
    if max(refused.count, rows.count) > 1000 {
      refused = refused.filter { $0.value.values.contains { now < $0 } }
      rows = rows.filter { now - $0.value.last < Self.peace }
    }
    for reference in items.compactMap(\.item?.reference) {
      refused[ByteString(caller.connection), default: [:]][reference] = .max
      let end = max(refused[group]?[reference] ?? 0, isForever ? .max : now + Self.peace)
      refused[group, default: [:]][reference] = end
    }
    let row = rows[group].flatMap { now - $0.last < Self.peace ? $0.count : nil } ?? 0
    rows[group] = (row + 1, now)
  }

  mutating func note(_ item: Item, writtenBy caller: BusCaller) {
    if let reference = item.reference { written[reference] = (Self.name(caller), item.modificationDate) }
  }

  /// A program's file, or else its connection, whose name is never used again.
  private static func name(_ caller: BusCaller) -> ByteString {
    caller.identity ?? ByteString(caller.connection)
  }

  /// Forgets the decisions for a connection that has left the bus.
  mutating func remove(_ connection: String) {
    allowed[ByteString(connection)] = nil
    refused[ByteString(connection)] = nil
  }

  /// Forgets all permissions, because the keychain was locked. Refusals stay, because a program can lock the keychain
  /// itself.
  mutating func removePermissions() {
    allowed = [:]
    written = [:]
  }
}
