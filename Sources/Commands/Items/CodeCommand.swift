import ArgumentParser
import Bytes
import Interchange
import Keychain
import KeychainChoice
import ToolCommands

struct CodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "code",
    abstract: "Print a one-time code",
    discussion: """
      Prints the code of this moment, once the item has the secret for codes. Store that as the service shows it: \
      the text behind its picture, which begins with otpauth://, or the key.

        llavero update https://github.com --code-fd 3 3< key.txt
        llavero code https://github.com
        llavero code --service vpn --json

      A counted code, unlike a timed one, is given out once. Git and other tools never get a code; 'llavero run' \
      gives one where a reference ends in ?field=code.
      """)

  @OptionGroup var place: PlaceOptions
  @OptionGroup var names: NameOptions
  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  @Flag(
    name: .shortAndLong,
    help: "Copy it to the clipboard instead of printing it; a desktop's is emptied after 45 seconds")
  var copy = false

  func validate() throws {
    if copy, output.json { throw ValidationError("--copy and --json don't go together.") }
  }

  func run() throws(KeychainError) {
    try place.named.check()
    if copy { try Clipboard.check() }
    let selection = keychain.selection
    let open = try keychain.open()
    let keychain = open.keychain
    let meant = try MeantItem(in: open, isExact: names.exact, selection).meant(by: place.named)
    let items = try meant.items(in: open)
    if items.isEmpty { throw try meant.nothingMatches(in: keychain) }
    // Another account's code would pass for this one's.
    for item in items where !item.isHidden && item.key.account == items[0].key.account {
      guard
        let credential = try keychain.credentialIfPresent(of: item),
        case .some(let url) = credential.oneTimeCodeURL()
      else { continue }
      guard case .some(let secret) = url.withUnsafeBytes({ OneTimeCodeSecret(url: $0) }) else {
        throw .failure(
          "the one-time code secret of \(item.name) can't be used", hint: storing(in: item),
          status: .nothingMatched)
      }
      if case .counter(let counter) = secret.moving, counter == .max {
        throw .failure(
          "the counter of \(item.name) is at its end, so there is no further code", hint: storing(in: item),
          status: .nothingMatched)
      }
      if case .counter = secret.moving { return try write(item, Self.counted(item, in: keychain)) }
      return try write(item, secret.code(at: .now))
    }
    throw .failure(
      "\(items[0].name) has no one-time codes", hint: storing(in: items[0]), status: .nothingMatched)
  }

  /// How an item gets what codes are made of.
  private func storing(in item: Item) -> Hint {
    let words = item.key.words(of: "update") + ["--code-fd", "0"] + keychain.words
    return "type \(commandOf: words), and paste the text of the service's picture, or the key"
  }

  /// The next counted code. Its counter is stored before anybody has the code.
  private static func counted(
    _ item: Item, in keychain: any KeychainStore
  ) throws(KeychainError) -> OneTimeCode {
    let part = keychain.part(with: [item])
    let former = Taken()
    try part.exclusively { () throws(KeychainError) in
      let present = try part.present(item)
      var credential = try part.credential(of: present)
      guard case .some(let url) = credential.oneTimeCodeURL(),
        case .some(let next) = url.withUnsafeBytes({ OneTimeCodeURL.afterUse($0) })
      else { throw .itemNotFound }
      if credential.further.hasOneTimeCode {
        credential.further.oneTimeCode = next.copy()
      } else {
        credential.secret = next.copy()
      }
      try part.update(present, credential)
      former.url = url.copy()
    }
    let secret = former.url.withUnsafeBytes { OneTimeCodeSecret(url: $0) }
    switch secret {
    case .some(let secret): return secret.code(at: .now)
    case .none: throw KeychainError.itemNotFound
    }
  }

  /// The secret that a change took out. A class, because closures can't assign a noncopyable variable.
  private final class Taken {
    var url = Secret()
  }

  private func write(_ item: Item, _ code: consuming OneTimeCode) throws(KeychainError) {
    if copy { return try Clipboard.copy(code.text, "the code of \(item.name)") }
    guard output.json else { return try StandardStreams.write(line: code.text) }
    var json = JSONWriter()
    json.beginObject()
    json.member("code", code.text)
    json.member("seconds_left", code.secondsLeft)
    ItemOutput.members(of: item, in: &json)
    json.endObject()
    try StandardStreams.write(json.finishLine())
  }
}

extension Credential {
  /// The URL of the item's one-time codes: the one beside the secret, or the secret itself if a person keeps codes
  /// apart; `nil` if there is neither.
  borrowing func oneTimeCodeURL() -> Secret? {
    switch further.oneTimeCode {
    case .some(let url): if !url.isEmpty { return url.copy() }
    case .none: break
    }
    return secret.withUnsafeBytes { $0.starts(with: "otpauth:".utf8) } ? secret.copy() : nil
  }

  /// The code of this moment; `nil` if there is none, or codes are counted, which only `llavero code` gives.
  borrowing func codeOfThisMoment(at now: Timestamp = .now) -> Secret? {
    guard case .some(let url) = oneTimeCodeURL(),
      case .some(let secret) = url.withUnsafeBytes({ OneTimeCodeSecret(url: $0) }), case .time = secret.moving
    else { return nil }
    return secret.code(at: now).text.copy()
  }
}
