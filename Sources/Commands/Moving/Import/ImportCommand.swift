import ArgumentParser
import EncryptedFile
import Glibc
import Interchange
import Keychain
import KeychainChoice
import SignIn
import ToolCommands

struct ImportCommand: UsingCompanion {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import the logins of another program",
    usage: "llavero import [KIND] [FILE] [OPTION...]",
    discussion: """
      KIND says which program's logins, and FILE where they are, if not in the usual place; '-' is standard input. If \
      only FILE is named, llavero looks into it.

      \(ImportKind.all.map { "  " + $0.name.padded(to: 17) + $0.summary }
        .joined(separator: "\n"))

        llavero import git-credentials --dry-run           (shows what would come)
        llavero import git-credentials --remove-source
        llavero import ~/Downloads/bitwarden_export.csv --on-conflict keep

      Everything is written at once. With --remove-source each item is read back from the keychain before its source \
      is touched; what was skipped stays there.
      """)

  @Argument("Whose logins, or only the file", value: "kind")
  var kind: String

  @Argument("Where they are", value: "file")
  var file: String?

  @Flag(help: "Show what would come, and change nothing")
  var dryRun = false

  @Option(
    "If the keychain has another secret: ask, keep it, replace it or fail (default: ask on a terminal, else fail)",
    value: "what")
  var onConflict: ConflictPolicy?

  @Option(
    "Keep the path of each address, or drop it, so that the login is for the whole server (default: as the source does)",
    value: "keep|drop")
  var paths: PathPolicy?

  @Option(
    "What the columns of a file of the kind csv are, such as url=Website,account=Login,password=Pass; there are also notes, code, tags and field:NAME",
    value: "columns")
  var columns: String?

  @Flag(help: "Remove what was imported, once it has been read back from the keychain")
  var removeSource = false

  @Option(
    "The file of the identity that opens an encrypted file, or the key file of a KeePass database",
    value: "file")
  var identity: String?

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if dryRun, removeSource { throw ValidationError("--dry-run removes nothing.") }
  }

  func companionNeed() throws(KeychainError) -> CompanionNeed {
    // A file needs none, and is looked into only once.
    if file != nil || !ImportKind.isName(kind) { return .none }
    let kind = try ImportKind.named(kind)
    if kind.desktopItems == nil || columns != nil && !kind.isTable { return .none }
    return kind.format == nil && !kind.hasOthers ? .required : .wanted
  }

  func run() throws(KeychainError) {
    let operands = try ImportOperands(self.kind, file)
    let file = operands.file
    var kind = operands.kind
    if columns != nil, !kind.isTable {
      throw .failure(
        "--columns is only for the kind csv", hint: "\(prose: kind.name) has columns of its own",
        status: .usage)
    }
    var selection = keychain.selection
    selection.readsSecrets = true
    // Such a file may have everything that a Secret Service has.
    selection.includesOtherItems = kind.isLlaveros
    let open = try selection.chooseOrExec().open()
    if kind.isTable, let file {
      kind = kind.with(
        try TableFile(path: file, columns: columns, mayAsk: selection.mayAskPerson).format())
    }
    var unasked: KeychainError?
    let sources = try sources(of: kind, file, selection, open, &unasked)
    // A killed import has been finished, and nothing else is left.
    if sources.isEmpty { return }
    for case let source as FileSource in sources { source.isToChange = removeSource }
    if removeSource, let why = sources.lazy.compactMap(\.whyNotRemovable).first { throw why }
    let importing = Importing(
      into: open, from: sources, comparesNotes: false, mayAsk: selection.mayAskPerson, policy: onConflict,
      ifEmpty: file == nil && kind.readsPlaces ? nothingFound(of: kind, in: sources, unasked) : nil)
    // Before anything is removed, because this may be the last message.
    try importing.run(
      what: "importing", isRehearsal: dryRun, removesSource: removeSource, output: output
    ) { if !output.json { sources.forEach { sayInstead(of: $0) } } }
    if !dryRun, !removeSource, !output.json {
      sayWhatIsStillThere(in: sources)
      sayWhatAges(kind)
    }
  }

  /// Tells a person that a copy of a token doesn't follow the program that goes on using and replacing it.
  private func sayWhatAges(_ kind: ImportKind) {
    guard KnownService.all.contains(where: { $0.importSource == kind.name }), StandardStreams.isTerminal(2)
    else { return }
    StandardStreams.say("hint: when \(kind.name) logs in anew, import again: this copy keeps the old token")
  }

  /// Tells a person which files still have what was imported, and how to take it out of them. Others had no login: a
  /// program may keep only its settings there, and its logins in a keyring.
  private func sayWhatIsStillThere(in sources: [any ImportSource]) {
    let files = sources.filter { ($0 as? FileSource)?.hasLogins == true && $0.whyNotRemovable == nil }
      .map(\.name)
    guard !files.isEmpty, StandardStreams.isTerminal(2) else { return }
    var named = file
    // Without a file, such a kind takes items out of the desktop's keyring as well.
    if file == nil, ImportKind.all.contains(where: { $0.name == kind && $0.readsMoreThanFiles }) {
      if files.count > 1 { return }
      named = files[0]
    }
    var words = ["llavero", "import", kind] + (named.map { [$0] } ?? [])
    if let paths { words += ["--paths", paths.rawValue] }
    if let onConflict { words += ["--on-conflict", onConflict.rawValue] }
    if let columns { words += ["--columns", columns] }
    if let identity { words += ["--identity", identity] }
    if let name = keychain.keychain { words += ["--keychain", name] }
    let removing: Hint = "\(commandOf: words + ["--remove-source"])"
    let what = "\(files.joined(separator: " and ")) still \(files.count == 1 ? "has" : "have") these logins"
    StandardStreams.say("hint: \(terminalText("\(what); \(removing.description) takes them out"))")
  }

  /// Tells what to write in place of imported logins whose program asks no keychain, and how to run the program.
  private func sayInstead(of source: any ImportSource) {
    guard let source = source as? FileSource else { return }
    let all = source.instead
    for (origin, instead) in all.prefix(Self.longestList) {
      let place = TransferReport.text([origin])
      if let line = instead.line {
        let becomes = instead.owner.map { "at \(place), for \($0), write" } ?? "in place of \(place), write"
        StandardStreams.say("hint: in \(source.name), \(terminalText("\(becomes): \(line)"))")
      }
      let command: Hint = "\(wordsOf: instead.command)"
      StandardStreams.say("hint: run the program that uses \(place) so: \(terminalText(command.description))")
    }
    if all.count > Self.longestList {
      StandardStreams.say("hint: and so on for \(countText(all.count - Self.longestList, "more login"))")
    }
  }

  /// How many logins of a file are listed one by one.
  private static let longestList = 5

  /// - Parameter unasked: set to why the Secret Service couldn't be asked, if there are other sources.
  private func sources(
    of kind: ImportKind, _ file: String?, _ selection: KeychainSelection, _ open: OpenKeychain,
    _ unasked: inout KeychainError?
  ) throws(KeychainError) -> [any ImportSource] {
    if kind.isLlaveros {
      guard let file else {
        throw .failure(
          "no file was named", hint: "llavero import llavero FILE", status: .usage)
      }
      return [LlaveroFileSource(file, decryption(selection, open.location))]
    }
    if kind.isTable, file == nil {
      throw .failure("no file was named", hint: "llavero import csv FILE", status: .usage)
    }
    if let file {
      guard let format = kind.format else {
        throw .failure("\(kind.name) is imported from no file", status: .usage)
      }
      let (found, hasFinished) = try FileSource.sources(
        at: [file], format, paths: paths?.choice, finishing: removeSource)
      // A missing file is an error of its own.
      let files = found.isEmpty && !hasFinished ? [FileSource(file, format, paths: paths?.choice)] : found
      for source in files {
        source.keyFile = identity
        source.passwords = selection.passphraseSources(for: .file(path: file)).source
      }
      return files
    }
    var sources: [any ImportSource] = []
    var hasFinished = false
    if let format = kind.format {
      let usual = try FileSource.sources(
        at: UsualPaths.distinct(of: format), format, paths: paths?.choice, finishing: removeSource)
      sources = usual.sources
      hasFinished = usual.hasFinished
    }
    sources += try kind.others(paths: paths?.choice)
    if let items = kind.desktopItems {
      do throws(KeychainError) {
        if let source = try desktop(items, of: kind, selection, open) { sources.append(source) }
      } catch {
        if kind.format == nil, !kind.hasOthers { throw error }
        unasked = error
      }
    }
    if sources.isEmpty, !hasFinished { throw nothingThere(kind, open) }
    return sources
  }

  /// The items of another program in the Secret Service. Returns `nil` if this program already finds them there.
  private func desktop(
    _ items: DesktopItems, of kind: ImportKind, _ selection: KeychainSelection, _ open: OpenKeychain
  ) throws(KeychainError) -> ProgramItemsSource? {
    let name = "the Secret Service"
    if let service = open.secretService {
      return items.areForEverybody ? nil : ProgramItemsSource(name, service, items)
    }
    var selection = selection
    selection.name = KeychainKind.secretService.rawValue
    // For the collections.
    selection.includesOtherItems = true
    guard let service = try selection.chooseOrExec().open().secretService else { return nil }
    return ProgramItemsSource(name, service, items)
  }

  /// The failure if the places of a program have no login of it.
  private func nothingFound(
    of kind: ImportKind, in sources: [any ImportSource], _ unasked: KeychainError?
  ) -> KeychainError {
    var places = kind.format.map(UsualPaths.places) ?? []
    for source in sources where !places.contains(source.name) { places.append(source.name) }
    let nowhere =
      "\(kind.name) has no login"
      + (places.count == 1 ? " in \(places[0])" : ": neither in \(places.joined(separator: " nor in "))")
    if let unasked = unasked?.failure {
      return .failure(
        "\(nowhere), and the Secret Service can't be asked: \(unasked.message)", hint: unasked.hint,
        status: unasked.status)
    }
    let service = KnownService.all.first { $0.importSource == kind.name }
    let hint: Hint? =
      if let host = service?.hosts.first {
        """
        sign in with \(command: kind.name, "auth", "login"), or make a token with \
        \(command: "llavero", "add", "https://\(host)")
        """
      } else {
        kind.format == nil ? nil : "name the file if there is another"
      }
    return .failure(nowhere, hint: hint, status: .nothingMatched)
  }

  private func nothingThere(_ kind: ImportKind, _ open: OpenKeychain) -> KeychainError {
    let usual = (kind.format.map(UsualPaths.places) ?? []).filter { access($0, F_OK) != 0 }
    if usual.isEmpty, kind.format != nil, !kind.hasOthers {
      return .failure(
        "no file was named",
        hint:
          "export one from \(prose: kind.name), and type \(command: "llavero", "import", kind.name, "FILE")",
        status: .usage)
    }
    if kind.desktopItems?.areForEverybody == true, open.secretService != nil {
      return .failure(
        "the Secret Service is the keychain in use, so llavero already finds the items of \(kind.name) there",
        hint: usual.isEmpty ? nil : "if there are others in a file, name it", status: .nothingMatched)
    }
    return .failure(
      "\(kind.name) has nothing to import"
        + (usual.isEmpty ? "" : ": there is no \(usual.joined(separator: ", and no "))"),
      hint: kind.format == nil ? nil : "name the file", status: .nothingMatched)
  }

  private func decryption(_ selection: KeychainSelection, _ location: VaultLocation) -> AgeDecryption {
    var usual = [location.identityFile]
    if let path = VaultLocation.environmentVariable("LLAVERO_IDENTITY"), !path.isEmpty {
      usual.append(path)
    } else if let home = VaultLocation.environmentVariable("HOME") {
      usual.append(home + "/.ssh/id_ed25519")
    }
    return AgeDecryption(identity: identity, usual: usual, stateFolder: location.stateFolder) { path, typed in
      selection.passphraseSources(for: .file(path: path, typed))
    }
  }
}

enum PathPolicy: String, CaseIterable, ExpressibleByArgument {
  case keep, drop

  var choice: PathChoice { self == .keep ? .keep : .drop }
}
