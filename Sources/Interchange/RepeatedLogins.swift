import Bytes
import Keychain

extension FoundLogin {
  /// Unites several logins for one item, with the same secret or none: the first takes the parts that the others have
  /// besides, for example a one-time code from one and notes from another. The others then become equal to the first.
  ///
  /// Conflicting parts are kept: notes below the others, names, codes and fields as further fields.
  ///
  /// - Parameter logins: the sources' logins, the first preferred. A keychain's own stay unchanged.
  public static func unite(_ logins: [FoundLogin]) {
    var firsts = FirstOfEachKey(of: logins)
    var united: [(login: FoundLogin, first: FoundLogin)] = []
    for (index, login) in logins.enumerated() where login.original == nil && login.asProgramsFind == nil {
      let first = firsts.first(for: index)
      if first != index, logins[first].take(login) { united.append((login, logins[first])) }
    }
    // Once the first has the parts of all.
    for (login, first) in united {
      login.become(first.item)
      login.credential = first.credential.copy()
    }
  }

  /// Takes another login's parts. Returns whether there was room for them.
  private func take(_ other: FoundLogin) -> Bool {
    let isSame = credential.isSameForTools(as: other.credential)
    guard item.key.itemClass.isPassword, isSame || credential.hasNoPassword || other.credential.hasNoPassword
    else {
      return false
    }
    var united = UnitedLogin(item, credential)
    if !isSame, credential.hasNoPassword {
      united.credential = other.credential.copy()
      united.credential.further = credential.further.copy()
    }
    united.take(other.item)
    united.take(other.credential.further)
    do throws(KeychainError) {
      try united.item.validate(with: united.credential)
    } catch {
      other.leftBehind.append("what it has beside the password")
      return false
    }
    other.leftBehind += united.left
    other.contradictions = united.contradictions
    become(united.item)
    credential = united.credential.copy()
    return true
  }
}

/// An item that takes the parts of another one with the same key.
private struct UnitedLogin: ~Copyable {
  var item: Item
  var credential: Credential
  /// The conflicting parts, which have become further fields.
  var contradictions: [String] = []
  var left: [String] = []

  init(_ item: Item, _ credential: borrowing Credential) {
    self.item = item
    self.credential = credential.copy()
  }

  mutating func take(_ other: Item) {
    var fields: [(name: ByteString, value: ByteString)] = []
    for part in [.label] + Item.Attribute.remarks where part != .comment {
      let name: ByteString =
        switch part {
        case .label: "name"
        case .itemDescription: "kind"
        default: ByteString(part.displayName)
        }
      guard let value = other[part], value != item[part] else { continue }
      if item[part] == nil { item[part] = value } else { fields.append((name, value)) }
    }
    takeComment(other.comment)
    item.isDefault = item.isDefault || other.isDefault
    item.creationDate = [item.creationDate, other.creationDate].compactMap { $0 }.min()
    other.furtherAttributes.forEach { tag, value in
      if Item.listTags.contains(tag) || item.furtherAttributes[tag] == value { return }
      if item.furtherAttributes[tag] == nil {
        item.furtherAttributes[tag] = value
      } else {
        left.append("\(tag)")
      }
    }
    for address in other.addresses { item.addAddress(address) }
    item.tags += other.tags.filter { !item.tags.contains($0) }
    let mine = NamedValues(item.fields)
    let names = fields.map { "\($0.name)" }
    fields = (fields + other.fields).filter { field in
      !field.value.bytes.withUnsafeBytes { mine.has($0, as: field.name) }
    }
    contradictions += fields.map(\.name).filter { names.contains("\($0)") || mine.has($0) }.map(\.description)
    left += item.addFields(fields).map(\.description)
  }

  private mutating func takeComment(_ comment: ByteString?) {
    guard let comment else { return }
    guard let mine = item.comment else { return item.comment = comment }
    // It may be there from a third one.
    let between: [UInt8] = [0x0a, 0x0a]
    let (all, wanted) = (between + mine.bytes + between, between + comment.bytes + between)
    if all.indices.contains(where: { all[$0...].starts(with: wanted) }) { return }
    item.comment = ByteString(mine.bytes + between + comment.bytes)
  }

  mutating func take(_ other: borrowing FurtherSecrets) {
    let mine = NamedValues(credential.further)
    var members = TextMembersBuilder()
    credential.further.forEachField { members.addField($0, $1) }
    var contradictions: [String] = []
    other.forEachField { name, value in
      if mine.has(value, as: name) { return }
      members.addField(name, value)
      if mine.has(name) { contradictions.append("\(name)") }
    }
    if case .some(let code) = other.oneTimeCode, !code.isEmpty {
      let name: ByteString = "one-time code"
      if !credential.further.hasOneTimeCode {
        credential.further.oneTimeCode = code.copy()
      } else if !credential.further.hasSameCode(as: other), !code.withUnsafeBytes({ mine.has($0, as: name) })
      {
        members.addField(name, code)
        contradictions.append("\(name)")
      }
    }
    if !members.isEmpty { credential.further.takeFields(members) }
    self.contradictions += contradictions
  }
}
