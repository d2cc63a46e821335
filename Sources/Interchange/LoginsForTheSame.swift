public import Keychain

extension FoundLogins {
  /// Leaves out paths, and settles several logins for the same place. Must be called after all were added.
  ///
  /// - Parameters:
  ///   - paths: which paths are left out; `nil` for the source's own rule.
  ///   - several: the meaning of several logins with different secrets.
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
  /// If that gave the logins of one account at a server the same key, but their secrets differ, all keep theirs.
  ///
  /// - Parameter choice: which ones; `nil` for the source's own rule.
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
    // The first may have only a code, with which all of them agree.
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
      // They become one item with the addresses of all.
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

  /// Skips all logins with the same key but different secrets: programs that read the file take different ones, or
  /// refuse it.
  private mutating func passOverContradictions() {
    let disputed = contradictions().filter { $0.count > 1 }.joined()
    if disputed.isEmpty { return }
    let gone = Set(disputed.map { ObjectIdentifier($0) })
    for login in disputed { passOver(login.origin, .disputed) }
    logins.removeAll { gone.contains(ObjectIdentifier($0)) }
  }

  /// Keeps logins for the same place with different secrets apart, unless one of them was changed last: the order means
  /// nothing, and one of them may be in a bin with an unknown name. If one may be in the bin for another reason, the
  /// dates mean nothing either.
  private mutating func keepContradictionsApart() {
    for group in contradictions() {
      let dates = group.compactMap { $0.mayBeDiscarded ? nil : $0.item.modificationDate }.sorted()
      if dates.count == group.count, dates[dates.count - 1] > dates[dates.count - 2] { continue }
      keptApart.append(KeptApart(group))
    }
  }

  /// Makes logins for the same place go from their file together or not at all: without the first, another one would
  /// answer.
  private mutating func keepTogether() {
    for group in contradictions() {
      let removals = group.flatMap(\.removals)
      for login in group { login.go(with: removals) }
    }
  }

  /// Makes one of the logins kept apart the active one, and skips the others.
  public mutating func choose(_ chosen: FoundLogin, of group: KeptApart) {
    for (login, item) in zip(group.logins, group.items) {
      login.become(item)
      if login === chosen { continue }
      passOver(login.origin, .notChosen)
      logins.removeAll { $0 === login }
    }
    keptApart.removeAll { $0.logins[0] === group.logins[0] }
  }

  /// The groups of logins with the same key but different secrets. Only passwords are compared.
  private func contradictions() -> [[FoundLogin]] {
    var firsts = FirstOfEachKey(of: logins)
    // By the first login of each. Nearly all are alone, so a group is made only with the second.
    var numbers: [Int: Int] = [:]
    var groups: [[FoundLogin]] = []
    var hasOthers: [Bool] = []
    for (index, login) in logins.enumerated() where login.item.key.itemClass.isPassword {
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
  case keep
  case drop
}

/// Logins for the same place with different secrets, without anything that says which one is active. Each is imported
/// under a name of its own that no tool looks for.
public struct KeptApart {
  /// The logins.
  public let logins: [FoundLogin]
  let items: [Item]

  fileprivate init(_ logins: [FoundLogin]) {
    self.logins = logins
    items = logins.map(\.item)
    var names: Set<ByteString> = []
    for login in logins {
      var item = login.item
      // No tool asks for an address with a suffix.
      let label = item.label.map { ByteString($0.bytes.map { $0 < 0x20 ? 0x20 : $0 }) }
      let name = item.key.place + (label.map { ": \($0)" } ?? "")
      var service = ByteString(item.label == nil ? name + " (1)" : name)
      while !names.insert(service).inserted { service = ByteString("\(name) (\(names.count + 1))") }
      item.key = .genericPassword(GenericPassword(service: service, account: login.item.key.account))
      login.become(item)
    }
  }

  /// The place of all of them.
  public var place: String { items[0].key.name }

  /// The key of the item if one of them were alone.
  public var key: Item.Key { items[0].key }
}
