public import Keychain

extension FoundLogins {
  /// Leaves out paths, and decides what becomes of several logins for the same. To be done once all are there.
  ///
  /// - Parameters:
  ///   - paths: which paths are left out; `nil` leaves it to the rule of the source.
  ///   - several: what several logins for the same mean, whose secrets differ.
  public mutating func settle(_ paths: PathChoice?, _ several: FileFormat.SeveralForTheSame) {
    settlePaths(paths)
    switch several {
    case .disputed: passOverContradictions()
    case .firstAnswers: keepTogether()
    case .lastChangedAnswers:
      keepContradictionsApart()
      sortNewestFirst()
    }
  }

  /// Leaves out paths.
  ///
  /// Where the logins of one account at a server would become one with different secrets, all keep theirs.
  ///
  /// - Parameter choice: which ones; `nil` leaves it to the rule of the source.
  private mutating func settlePaths(_ choice: PathChoice?) {
    if choice == .keep { return }
    func isOfPage(_ login: FoundLogin) -> Bool { choice == .drop || login.isOfPage }
    guard logins.contains(where: isOfPage) else { return }
    var first = FirstOfEachKey(count: logins.count) { [logins] index in
      let key = logins[index].primaryKey
      return isOfPage(logins[index]) ? key.withoutPath : key
    }
    // Before any of them changes.
    let firsts = logins.indices.map { first.first(for: $0) }
    var disputed: Set<Int> = []
    // The first may have a code alone, with which all of them agree.
    var compared: [Int: FoundLogin] = [:]
    for (index, first) in firsts.enumerated() where index != first {
      let other = compared[first] ?? logins[first]
      if !other.credential.agrees(with: logins[index].credential) { disputed.insert(first) }
      if other.credential.hasNoPassword { compared[first] = logins[index] }
    }
    var repeats: Set<ObjectIdentifier> = []
    for (index, first) in firsts.enumerated() where !disputed.contains(first) {
      let login = logins[index]
      if isOfPage(login), login.hasPath {
        login.leaveOutPath()
        pathsLeftOut += 1
      }
      // Those for the same are one item, which has the addresses of all.
      if first != index {
        logins[first].takeAddresses(of: login)
        if logins[first].origin == login.origin, logins[first].removals == login.removals {
          repeats.insert(ObjectIdentifier(login))
        }
      }
    }
    // An entry has it once.
    if !repeats.isEmpty { logins.removeAll { repeats.contains(ObjectIdentifier($0)) } }
  }

  /// Skips all logins whose items have the same key but different secrets: which of them answers depends on the
  /// program that reads the file, or the program refuses the file.
  private mutating func passOverContradictions() {
    let disputed = contradictions().filter { $0.count > 1 }.joined()
    if disputed.isEmpty { return }
    let gone = Set(disputed.map { ObjectIdentifier($0) })
    for login in disputed { passOver(login.origin, .disputed) }
    logins.removeAll { gone.contains(ObjectIdentifier($0)) }
  }

  /// Keeps logins apart that are for the same and have different secrets, unless one of them has been changed last: the
  /// order of entries says nothing, and one of them may be in a bin whose name isn't known. Where one may be in the bin for
  /// another reason, the dates say nothing either.
  private mutating func keepContradictionsApart() {
    for group in contradictions() {
      let dates = group.compactMap { $0.mayBeDiscarded ? nil : $0.item.modificationDate }.sorted()
      if dates.count == group.count, dates[dates.count - 1] > dates[dates.count - 2] { continue }
      keptApart.append(KeptApart(group))
    }
  }

  /// Has logins for the same go from their file together or not at all: without the first one, another one would answer.
  private mutating func keepTogether() {
    for group in contradictions() {
      let removals = group.flatMap(\.removals)
      for login in group { login.go(with: removals) }
    }
  }

  /// Makes one of the logins that were kept apart the one in use. The others are skipped.
  public mutating func choose(_ chosen: FoundLogin, of group: KeptApart) {
    for (login, item) in zip(group.logins, group.items) {
      login.become(item)
      if login === chosen { continue }
      passOver(login.origin, .notChosen)
      logins.removeAll { $0 === login }
    }
    keptApart.removeAll { $0.logins[0] === group.logins[0] }
  }

  /// The logins whose items have the same key but different secrets, in groups. What is no password isn't compared.
  private func contradictions() -> [[FoundLogin]] {
    var firsts = FirstOfEachKey(of: logins)
    // By the first login of each. Nearly all are alone, so a group is made for the second one.
    var numbers: [Int: Int] = [:]
    var groups: [[FoundLogin]] = []
    var hasOthers: [Bool] = []
    for (index, login) in logins.enumerated() where login.item.key.isPassword {
      let first = firsts.first(for: index)
      if first == index { continue }
      let group = numbers[first] ?? groups.count
      if group == groups.count {
        numbers[first] = group
        groups.append([logins[first]])
        hasOthers.append(false)
      }
      let other = groups[group].first { !$0.credential.hasNoPassword } ?? login
      if !other.credential.agrees(with: login.credential) { hasOthers[group] = true }
      groups[group].append(login)
    }
    return zip(groups, hasOthers).filter { $1 }.map(\.0)
  }
}

/// Which paths of logins are left out.
public enum PathChoice: Sendable {
  /// None.
  case keep
  /// All.
  case drop
}

/// Logins that are for the same and have different secrets, where nothing says which one is in use. Each comes under a
/// name of its own, under which no tool looks for it.
public struct KeptApart {
  /// The logins.
  public let logins: [FoundLogin]
  /// What they would be alone.
  let items: [Item]

  /// Gives each of the logins a name of its own.
  fileprivate init(_ logins: [FoundLogin]) {
    self.logins = logins
    items = logins.map(\.item)
    var names: Set<ByteString> = []
    for login in logins {
      var item = login.item
      // No tool asks for an address with something behind it.
      let label = item.label.map { ByteString($0.bytes.map { $0 < 0x20 ? 0x20 : $0 }) }
      let name = item.key.place + (label.map { ": \($0)" } ?? "")
      var service = ByteString(item.label == nil ? name + " (1)" : name)
      while !names.insert(service).inserted { service = ByteString("\(name) (\(names.count + 1))") }
      item.key = .genericPassword(GenericPassword(service: service, account: login.item.key.account))
      login.become(item)
    }
  }

  /// What all of them are for.
  public var place: String { items[0].key.name }

  /// The key of the item that one of them would be alone.
  public var key: Item.Key { items[0].key }
}

extension Item.Key {
  /// Whether it is a password's, and not that of what only a program makes.
  var isPassword: Bool {
    switch self {
    case .internetPassword, .genericPassword: true
    case .cryptographic, .secretService: false
    }
  }
}
