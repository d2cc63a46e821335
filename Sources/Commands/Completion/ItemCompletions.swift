import Bytes
import CredentialProtocols
import Keychain
import KeychainChoice
import ToolCommands

/// Completions from the keychain's items, without their secrets.
struct ItemCompletions {
  private let items: [Item]

  /// Lists the matching items; none if the keychain can't be listed without a question.
  init(in selection: KeychainSelection, where filter: ItemFilter?) {
    var selection = selection
    selection.mayAsk = false
    selection.mayPrompt = false
    selection.mayRunPrograms = false
    selection.renewsUnlock = false
    selection.changesNothing = true
    guard let filter, let keychain = try? selection.chooseOrExec().open().keychain,
      let all = try? keychain.items(matching: .all)
    else {
      items = []
      return
    }
    items = all.filter(filter.matches)
  }

  /// The attribute that an option is for; `nil` if it isn't completed.
  static func attribute(of option: String) -> Item.Attribute? {
    guard option.hasPrefix("--"), let attribute = Item.Attribute(option: String(option.dropFirst(2))),
      attribute != .comment, attribute != .isDefault
    else { return nil }
    return attribute
  }

  /// - Parameter isPattern: whether to escape each `*` in the values, because the option takes a pattern.
  func values(of attribute: Item.Attribute, isPattern: Bool) -> [CompletionCandidate] {
    sorted(
      items.compactMap { $0.searched(attribute) }.compactMap {
        CompletionCandidate(attribute: isPattern ? GlobPattern.literal($0) : $0)
      })
  }

  /// The places of the internet passwords as URLs. Those for https have no scheme, unless one is being typed.
  func urls(beginning typed: String) -> [CompletionCandidate] {
    let isURL = typed.hasPart("://") || ["https://", "http://"].contains { $0.hasPrefix(typed) }
    return sorted(
      items.compactMap { item in
        guard let url = item.internetPassword?.url() else { return nil }
        if isURL || !url.hasPrefix("https://") { return CompletionCandidate(attribute: ByteString(url)) }
        return CompletionCandidate(attribute: ByteString(url.dropFirst("https://".count)))
      })
  }

  /// The items as references for 'llavero run'.
  func references(after prefix: String) -> [CompletionCandidate] {
    sorted(
      items.compactMap { item in
        item.key.asReference.flatMap { CompletionCandidate(attribute: ByteString($0), prefix: prefix) }
      })
  }

  /// The services of generic passwords that begin with `prefix`, without that prefix.
  func services(after prefix: String) -> [CompletionCandidate] {
    sorted(
      items.compactMap { item in
        guard let name = item.genericPassword?.service.text, name.hasPrefix(prefix) else { return nil }
        return CompletionCandidate(attribute: ByteString(name.dropFirst(prefix.count)))
      })
  }

  private func sorted(_ candidates: [CompletionCandidate]) -> [CompletionCandidate] {
    Set(candidates.map(\.text)).sorted().map { CompletionCandidate($0) }
  }
}

extension Item {
  fileprivate var internetPassword: InternetPassword? {
    if case .internetPassword(let key) = key { key } else { nil }
  }

  fileprivate var genericPassword: GenericPassword? {
    if case .genericPassword(let key) = key { key } else { nil }
  }
}

extension GlobPattern {
  static func literal(_ text: ByteString) -> ByteString {
    if !text.bytes.contains(where: { "*?[\\".utf8.contains($0) }) { return text }
    return ByteString(text.bytes.flatMap { "*?[\\".utf8.contains($0) ? [0x5c, $0] : [$0] })
  }
}
