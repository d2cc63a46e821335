import Bytes
import Keychain
import KeychainChoice
import ToolCommands

struct KeychainStatus {
  private let choice: KeychainChoice
  private let own: KindStatus
  private let others: [String]

  /// - Throws: ``KeychainError`` if the keychain is broken. A locked one is not an error.
  init(of keychain: OpenKeychain) throws(KeychainError) {
    choice = keychain.choice
    others = keychain.list.map { $0.names.filter { $0 != keychain.choice.name } } ?? []
    own = try choice.kind.managed.status(of: keychain)
  }

  /// - Parameter surroundings: further facts to report.
  func text(_ surroundings: Surroundings? = nil) -> TextForTerminal {
    let list =
      others.isEmpty ? [] : [["others", "\(others.joined(separator: ", ")); see 'llavero keychain list'"]]
    return columns(own.rows + list + (own.expiring?.summary(at: .now) ?? []) + (surroundings?.rows ?? []))
  }

  func json(_ surroundings: Surroundings? = nil) -> Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("keychain", ByteString(choice.name))
    if choice.name != choice.kind.rawValue { json.member("kind", ByteString(choice.kind.rawValue)) }
    json.member("reason", choice.reasonName)
    if case .remembered(let date) = choice.reason { json.member("remembered", date) }
    own.members(&json)
    own.sharing?.write(to: &json)
    if !others.isEmpty {
      json.beginArray("others")
      for name in others { json.element(ByteString(name)) }
      json.endArray()
    }
    own.expiring?.report.write(to: &json, as: "expiring")
    surroundings?.report.writeMembers(to: &json)
    json.endObject()
    return json.finishLine()
  }
}
