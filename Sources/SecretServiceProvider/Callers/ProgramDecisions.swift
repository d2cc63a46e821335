package import Keychain

/// What is remembered of what a program may do with an item.
package struct ProgramPermission: Hashable, Sendable {
  /// The file that the program runs.
  package let program: String
  /// The item's reference in the keychain.
  package let item: ItemReference
  /// The mark that the item has to have for the program to read, change and delete it; `nil` if the program may not.
  package let mark: String?
  /// The item's name for people, where it is known.
  package let name: String

  /// Makes a permission, or a refusal.
  package init(program: String, item: ItemReference, mark: String?, name: String = "") {
    self.program = program
    self.item = item
    self.mark = mark
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
  /// ``ProgramDecision``, one of those that are its arguments. `nil` if nobody is to be asked: what isn't allowed is
  /// then refused.
  package var askingProgram: (path: String, name: String)?
  /// What is remembered. It is read for each question, so that people can edit it.
  package var remembered: () -> [ProgramPermission]
  /// Remembers something more. Returns whether that was possible.
  package var remember: ([ProgramPermission]) -> Bool

  /// Makes a way to ask.
  package init(
    askingProgram: (path: String, name: String)?, remembered: @escaping () -> [ProgramPermission],
    remember: @escaping ([ProgramPermission]) -> Bool
  ) {
    self.askingProgram = askingProgram
    self.remembered = remembered
    self.remember = remember
  }
}

/// What was decided since the service has started; as for permissions, since the keychain was locked last.
struct ProgramDecisions {
  /// What a connection, or a program's file, is allowed: items by their marks, as a person was asked about them. One
  /// that has become another login meanwhile is asked about again.
  private var allowed: [ByteString: [ItemReference: String]] = [:]
  /// Until when something is refused to a connection, or to a program's file, in milliseconds. That follows the item,
  /// whatever becomes of it.
  private var refused: [ByteString: [ItemReference: Int]] = [:]
  /// How many questions about a program were answered with no, each within a minute of the one before, and when the
  /// last one was.
  private var rows: [ByteString: (count: Int, last: Int)] = [:]
  /// Who has written an item's secret, and the item's date then.
  private var written: [ItemReference: (writer: ByteString, date: Timestamp?)] = [:]

  /// For how long a program isn't asked about again after a person has refused it an item, in milliseconds.
  static let peace = 60_000
  /// How many refusals in a row there are before a program isn't asked about at all for that time.
  static let patience = 3

  /// Whether a caller may use an item; `nil` if that isn't decided.
  func isAllowed(_ item: ServedItem, _ caller: Caller?, _ remembered: [ProgramPermission], now: Int) -> Bool?
  {
    guard let stored = item.item, let reference = stored.reference else { return true }
    guard let caller else { return nil }
    let connection = ByteString(caller.connection)
    // A refusal counts more than a permission.
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
    // Whoever asks for one thing after the other asks no more.
    if let row = rows[caller.group], row.count >= Self.patience, now - row.last < Self.peace { return false }
    return nil
  }

  /// Whether a caller has written what an item has now. What anybody else has changed meanwhile isn't its own.
  func isOwn(_ item: Item, _ caller: Caller) -> Bool {
    guard let reference = item.reference, let written = written[reference] else { return false }
    return written.writer == Self.name(caller) && written.date == item.modificationDate
  }

  /// Allows a connection something, or all that its program's file does.
  mutating func allow(_ items: [ServedItem], to caller: Caller, forProgram isForProgram: Bool) {
    let name = isForProgram ? Self.name(caller) : ByteString(caller.connection)
    for item in items {
      if let reference = item.item?.reference { allowed[name, default: [:]][reference] = item.mark }
    }
  }

  /// Refuses something to a connection as long as it is there, and for a while to its program, or to all programs that
  /// can't be told.
  ///
  /// - Parameter isForever: whether it is refused to the program until the service ends.
  mutating func refuse(
    _ items: [ServedItem], to caller: Caller, forever isForever: Bool = false, now: Int
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

  /// Takes note that a caller has written an item's secret.
  mutating func note(_ item: Item, writtenBy caller: Caller) {
    if let reference = item.reference { written[reference] = (Self.name(caller), item.modificationDate) }
  }

  /// A program as it is known: its file, or else its connection, which nothing else is ever called like.
  private static func name(_ caller: Caller) -> ByteString {
    caller.identity ?? ByteString(caller.connection)
  }

  /// Forgets what was decided for a connection that has left the bus.
  mutating func remove(_ connection: String) {
    allowed[ByteString(connection)] = nil
    refused[ByteString(connection)] = nil
  }

  /// Forgets what is allowed, because the keychain was locked. A program can lock it itself, so what was refused stays
  /// so.
  mutating func removePermissions() {
    allowed = [:]
    written = [:]
  }
}
