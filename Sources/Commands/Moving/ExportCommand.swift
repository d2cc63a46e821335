import Age
import ArgumentParser
import Bytes
import CLinux
import EncryptedFile
import Glibc
import Interchange
import Keychain
import KeychainChoice
import PrivateFiles
import ToolCommands

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write items with their secrets, for other programs or a backup",
    discussion: """
      \(ExportFormat.all.map { "  " + $0.name.padded(to: 17) + $0.summary }
        .joined(separator: "\n"))

        llavero export --output items.age --recipient age1...
        llavero export --format csv --server '*.example.com' --output logins.csv
        llavero export | some-program

      Without --recipient everything is written in plain text. Only you can read the file (0600), and nothing is \
      written to a terminal without --force.
      """)

  @Option("The form: \(ExportFormat.all.map(\.name).joined(separator: ", ")) (default: jsonl)", value: "form")
  var format: String?

  @Option("Write to this file (default: standard output)", value: "file", name: .shortAndLong)
  var output: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Encrypt for this key of age or ssh (repeatable)", valueName: "recipient"))
  var recipient: [String] = []

  @Flag(help: "Write the encrypted file as text")
  var armor = false

  @Flag(help: "Write to a terminal, or overwrite a file")
  var force = false

  @OptionGroup(title: "Only items with") var attributes: PatternOptions
  @OptionGroup var keychain: KeychainOptions

  func validate() throws {
    if armor, recipient.isEmpty { throw ValidationError("--armor goes with --recipient.") }
  }

  func run() throws(KeychainError) {
    guard let format = ExportFormat.named(self.format ?? "jsonl") else {
      throw .failure(
        "there is no format '\(self.format ?? "")'",
        hint: "there are \(prose: ExportFormat.all.map(\.name).joined(separator: ", "))", status: .usage)
    }
    let recipients = try recipients()
    try refuseTarget()
    var selection = keychain.selection
    selection.readsSecrets = true
    // Other formats have no place for items that are no logins.
    selection.includesOtherItems = format.isComplete
    let open = try selection.chooseOrExec().open()
    if let others = open.list?.names.filter({ $0 != open.choice.name }), !others.isEmpty {
      StandardStreams.say(
        "this is the keychain \(open.choice.name) alone; --keychain exports another one: "
          + "\(others.joined(separator: ", "))")
    }
    let filter = attributes.filter
    let export = try Export(of: open.own, as: format, where: filter.matches)
    try open.own.refusePassingOver()
    if export.count == 0 {
      throw .failure(
        export.omitted.isEmpty
          ? "there are no such items"
          : "none of the \(countText(export.omitted.count, "item")) fits the format",
        hint: .seeList, status: .nothingMatched)
    }
    if recipients.isEmpty {
      try write(export.text)
    } else {
      try write(try encrypted(export.text, for: recipients))
    }
    report(export, format, isEncrypted: !recipients.isEmpty)
  }

  // MARK: Output

  private func refuseTarget() throws(KeychainError) {
    guard let output, output != "-" else {
      if StandardStreams.isTerminal(1), !force, recipient.isEmpty || !armor {
        throw .failure(
          "standard output is a terminal, which would show every secret",
          hint: "name a file with --output, or say --force", status: .usage)
      }
      return
    }
    if let keychain = Self.keychain(holding: output) {
      throw .failure(
        "\(output) is in a folder of the keychain \(keychain.name)", hint: "name another one", status: .usage)
    }
    // The name suggests encryption.
    if recipient.isEmpty, output.utf8.suffix(4).map({ $0 | 0x20 }) == Array(".age".utf8) {
      throw .failure(
        "\(output) would be plain text", hint: "say with --recipient who may read it, or name another file",
        status: .usage)
    }
    if !force, access(output, F_OK) == 0 {
      throw .failure(
        "there is a file \(output) already", hint: "name another one, or say --force", status: .usage)
    }
  }

  /// The keychain that has, or would have, a file in one of its folders.
  private static func keychain(holding path: String) -> ListedKeychain? {
    guard let own = try? VaultLocation() else { return nil }
    let listed = (try? KeychainList.read(in: own.stateFolder))?.keychains ?? []
    return ([ListedKeychain(builtIn: .file)] + listed).first {
      $0.kind.isFile && (try? own.of($0))?.contains(path) == true
    }
  }

  private func write(_ text: borrowing Secret) throws(KeychainError) {
    guard let output, output != "-" else { return try StandardStreams.write(text) }
    if Self.isDevice(output) { return try write(text, toDevice: output) }
    let failure = text.withUnsafeBytes {
      replaceFile(output, with: $0, access: FileAccess(mode: 0o600), mayReplace: force)
    }
    if failure != 0 { throw Self.notWritten(output, failure) }
  }

  private static func notWritten(_ path: String, _ error: Int32) -> KeychainError {
    // A place that could never be written to is a mistake in the command.
    let isMistake = [ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, ENAMETOOLONG, EINVAL, ELOOP].contains(error)
    return .failure("cannot write \(path): \(errorText(error))", status: isMistake ? .usage : .keychain)
  }

  /// Whether the path names a device, a pipe or a socket, which is written to and not replaced.
  private static func isDevice(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  private func write(_ text: borrowing Secret, toDevice path: String) throws(KeychainError) {
    let file = clinux_openat(AT_FDCWD, path, O_WRONLY | O_NOCTTY | O_CLOEXEC, 0)
    if file < 0 { throw Self.notWritten(path, errno) }
    var failure = text.withUnsafeBytes { writeFully(file, $0) }
    if close(file) != 0, failure == 0 { failure = errno }
    if failure != 0 { throw Self.notWritten(path, failure) }
  }

  // MARK: Encrypting

  private func recipients() throws(KeychainError) -> [any Recipient] {
    try recipient.map { (text) throws(KeychainError) -> any Recipient in
      do throws(AgeError) {
        return try RecipientsFile.parseRecipient(
          String(text.reversed().drop { $0.isWhitespace }.reversed()), plugins: PluginSettings())
      } catch {
        throw .failure(
          text.hasPrefix("AGE-SECRET-KEY-")
            ? "that is an identity, which only you should have, and not a recipient"
            : "that is not an age recipient that llavero can use",
          hint: "a recipient begins with age1 or ssh-ed25519", status: .usage)
      }
    }
  }

  private func encrypted(_ text: borrowing Secret, for recipients: [any Recipient]) throws(KeychainError)
    -> Secret
  {
    do throws(AgeError) {
      let file = try text.withUnsafeBytes { (bytes) throws(AgeError) in
        try AgeFile.encrypt(bytes, to: recipients, armored: armor)
      }
      var copy = Secret(capacity: file.count)
      file.withUnsafeBytes { copy.append($0) }
      return copy
    } catch {
      throw KeychainError(error, at: "what is exported")
    }
  }

  // MARK: Reporting

  private func report(_ export: borrowing Export, _ format: ExportFormat, isEncrypted: Bool) {
    if let output, output != "-" {
      StandardStreams.say(
        "wrote \(countText(export.count, "item")) to \(output)"
          + (isEncrypted ? "" : "; it is not encrypted: everyone who can read it has the secrets"))
    }
    let otherKind = export.omitted.filter { $0.1 == .otherKind }.map { "\($0.0.key.name)" }
    if !otherKind.isEmpty {
      let more = otherKind.count > 20 ? " and \(otherKind.count - 20) more" : ""
      let names = otherKind.prefix(20).joined(separator: ", ")
      StandardStreams.say(
        "left out \(countText(otherKind.count, "item")) that \(format.name) has no place for, and jsonl has: \(names)\(more)"
      )
    }
    for (item, omission) in export.omitted {
      switch omission {
      case .otherKind: break
      case .unspeakable:
        StandardStreams.say("left out \(item.key.name): its secret has bytes that \(format.name) can't hold")
      case .otherLogin:
        StandardStreams.say(
          "left out \(item.key.name): programs would take it for the host's other login, in any protocol"
        )
      }
    }
    let lost = export.lost.map { "\($0.name) (\($0.count))" }
    if !lost.isEmpty {
      StandardStreams.say(
        "left out, because \(format.name) has no place for it: \(lost.joined(separator: ", ")); jsonl keeps everything"
      )
    }
  }
}

struct Export: ~Copyable {
  let text: Secret
  let count: Int
  /// The items left out, with the reason.
  let omitted: [(Item, ExportFormat.Omission)]
  /// The fields without a place in the format, and how many of the written items have each.
  let lost: [(name: String, count: Int)]

  init(
    of keychain: any KeychainStore, as format: ExportFormat, where isWanted: (Item) -> Bool
  ) throws(KeychainError) {
    var text = Secret()
    var count = 0
    var omitted: [(Item, ExportFormat.Omission)] = []
    var lost: [(name: String, count: Int)] = []
    format.begin(&text, at: .now)
    try keychain.reading { () throws(KeychainError) in
      let items = try keychain.items(matching: .all) { isWanted($0) }
      let service = format.isComplete ? keychain as? any DesktopKeychain : nil
      // Most programs that read such files take the first entry that fits.
      let ordered =
        service == nil ? items.filter(\.isDefault) + items.filter { !$0.isDefault } : items.newestFirst
      var logins: Set<Item.Key> = []
      let (arranged, others) = format.arrange(ordered)
      omitted += others.map { ($0, .otherLogin) }
      var written: Set<Item> = []
      for item in arranged {
        if service != nil, item.isUsualLoginCollection { continue }
        // Two items of a service may be the same login. Both are written, and the newer one that can be a login is it,
        // as for 'llavero migrate'.
        let isFirst = !logins.contains(item.key.primaryKey)
        guard let answer = try Self.answer(item, in: keychain, service, asLogin: isFirst) else { continue }
        if answer.item.key.secretServiceItem == nil { logins.insert(answer.item.key.primaryKey) }
        let outcome = format.append(
          answer.item, answer.credential, isFirst: count == 0, to: &text)
        guard written.insert(item).inserted else { continue }
        switch outcome {
        case .omitted(let omission): omitted.append((item, omission))
        case .written(let without):
          count += 1
          for name in without {
            let index = lost.firstIndex { $0.name == name } ?? lost.count
            if index == lost.count { lost.append((name, 0)) }
            lost[index].count += 1
          }
        }
      }
    }
    format.end(&text)
    self.text = text
    self.count = count
    self.omitted = omitted
    self.lost = lost
  }

  /// The item with its secret; `nil` if it was deleted meanwhile.
  private static func answer(
    _ item: Item, in keychain: any KeychainStore, _ service: (any DesktopKeychain)?, asLogin: Bool
  ) throws(KeychainError) -> Answer? {
    do throws(KeychainError) {
      if let service { return try service.whole(item, asLogin: asLogin) }
      return Answer(item: item, credential: try keychain.credential(of: item))
    } catch .itemNotFound {
      return nil
    }
  }
}
