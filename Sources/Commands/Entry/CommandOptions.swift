import ArgumentParser
import Bytes
import EncryptedFile
import Keychain
import KeychainChoice
import ToolCommands

struct KeychainOptions: ParsableArguments {
  @Option(
    "The keychain to use alone: one of 'llavero keychain list' (default: $LLAVERO_KEYCHAIN, else all of them; new items go to the one with the asterisk)",
    value: "name")
  var keychain: String?

  @Option("In the Secret Service, use only this collection", value: "name")
  var collection: String?

  @Option(
    "How secrets travel from the Secret Service: encrypted or plain (default: encrypted)", value: "kind")
  var session: String?

  @Option("Read the keychain's passphrase from this descriptor", value: "n")
  var passphraseFd: Int32?

  @Flag(help: "Ask nobody; a locked keychain is an error at once")
  var noPrompt = false

  func validate() throws {
    if let passphraseFd, passphraseFd < 0 {
      throw ValidationError("--passphrase-fd needs the number of a descriptor")
    }
  }

  /// The option that selects the same keychain in another command; empty if none was named.
  var words: [String] { keychain.map { ["--keychain", $0] } ?? [] }

  var selection: KeychainSelection {
    KeychainSelection(
      name: keychain, collection: collection, session: session, passphraseDescriptor: passphraseFd,
      mayPrompt: !noPrompt)
  }

  func open() throws(KeychainError) -> OpenKeychain {
    try selection.chooseOrExec().open()
  }
}

/// Arguments that name a place to log in: a URL, or the parts of a place that are no URL.
protocol PlaceNaming: ParsableArguments {
  var url: String? { get }
  var attributes: PlaceAttributes { get }
}

extension PlaceNaming {
  var service: String? { attributes.service }
  var account: String? { attributes.account }
  var domain: String? { attributes.domain }
  var isPlace: Bool { url != nil || service != nil }

  var named: NamedPlace { attributes.place(at: url) }
}

/// An optional place to log in of items that are there: a URL, the name of a service, or what an item is called.
struct PlaceArguments: PlaceNaming {
  @Argument(
    "A place: https://HOST[:PORT][/PATH], or just HOST for https; or a service or a label", value: "url")
  var url: String?

  @OptionGroup var attributes: PlaceAttributes
}

extension PlaceArguments {
  /// Checks that nothing else names an item that has a reference.
  func validate(besideReference reference: String?) throws {
    if reference != nil, isPlace || account != nil || domain != nil {
      throw ValidationError("--reference names an item without a place.")
    }
  }

  /// The place, or an item with a reference.
  func place(orReference reference: String?) -> NamedPlace {
    var named = named
    named.reference = reference
    return named
  }
}

/// An optional place to log in of an item that may be new: a URL, or the name of a service without one.
struct NewPlaceArguments: PlaceNaming {
  @Argument("A place: https://HOST[:PORT][/PATH], or just HOST for https; see llavero-get(1)", value: "url")
  var url: String?

  @OptionGroup var attributes: PlaceAttributes
}

/// The parts of a place that are no URL.
struct PlaceAttributes: ParsableArguments {
  @Option("A service that has no URL, instead of a URL (a generic password)", value: "name")
  var service: String?

  @Option("The user name", value: "name")
  var account: String?

  @Option("The tool that the item is for, such as docker (default: git and people)", value: "tool")
  var domain: String?

  func validate() throws {
    if service != nil, domain != nil { throw ValidationError("--domain goes with a URL.") }
  }

  func place(at url: String?) -> NamedPlace {
    NamedPlace(url: url, service: service, account: account, domain: domain)
  }
}

/// The place of an item that is there.
struct PlaceOptions: ParsableArguments {
  @OptionGroup private var arguments: PlaceArguments

  @Option("The keychain's own name for the item, as 'llavero list --json' shows it", value: "text")
  var reference: String?

  func validate() throws {
    if arguments.url != nil, arguments.service != nil { throw ValidationError.bothPlaces }
    if reference == nil, !arguments.isPlace { throw ValidationError.noPlace }
    try arguments.validate(besideReference: reference)
  }

  var named: NamedPlace { arguments.place(orReference: reference) }
}

/// The place of an item that may be new.
struct NewPlaceOptions: ParsableArguments {
  @OptionGroup private var arguments: NewPlaceArguments

  func validate() throws {
    if (arguments.url == nil) == (arguments.service == nil) { throw ValidationError.bothPlaces }
  }

  var named: NamedPlace { arguments.named }
}

extension ValidationError {
  /// A URL and a service were given, or neither for a new item.
  static let bothPlaces = ValidationError("Name either a URL or --service.")
  /// Nothing says which item is meant.
  static let noPlace = ValidationError("Name a place, a service or a label.")
}

struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON")
  var json = false

  /// Prints a report for programs, or for people.
  func write(
    _ report: @autoclosure () -> some JSONConvertible, or text: @autoclosure () -> TextForTerminal
  ) throws(KeychainError) {
    if json { try StandardStreams.write(report().jsonLine) } else { try StandardStreams.write(text()) }
  }

  /// Prints a report if programs get one.
  func write(_ report: @autoclosure () -> some JSONConvertible) throws(KeychainError) {
    if json { try StandardStreams.write(report().jsonLine) }
  }

  /// The failure of a command that prints an array. If nothing matched, programs get an empty array beside it.
  func withArray(_ failure: KeychainError) throws(KeychainError) -> KeychainError {
    let none: [JSONObject] = []
    if failure.failure.status == .nothingMatched { try write(none) }
    return failure
  }
}

/// What a command that changes something says of that.
struct SayingOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Don't say what was done")
  var quiet = false

  /// Says to a person on a terminal what is so now.
  func say(_ text: @autoclosure () -> TextForTerminal) {
    if !quiet, StandardStreams.isTerminal(2) { StandardStreams.say(text()) }
  }
}

/// The output of a command that changes something.
struct ChangeOutputOptions: ParsableArguments {
  @OptionGroup private var output: OutputOptions
  @OptionGroup private var saying: SayingOptions

  var json: Bool { output.json }
  var quiet: Bool { saying.quiet }

  /// Prints a report if programs get one. Otherwise says to a person on a terminal what is so now.
  func write(
    _ report: @autoclosure () -> some JSONConvertible, saying text: @autoclosure () -> TextForTerminal
  ) throws(KeychainError) {
    try write(report())
    say(text())
  }

  /// Prints a report if programs get one.
  func write(_ report: @autoclosure () -> some JSONConvertible) throws(KeychainError) {
    try output.write(report())
  }

  /// Prints a report for programs, or for people.
  func write(
    _ report: @autoclosure () -> some JSONConvertible, or text: @autoclosure () -> TextForTerminal
  ) throws(KeychainError) {
    try output.write(report(), or: text())
  }

  /// As ``OutputOptions/withArray(_:)`` does.
  func withArray(_ failure: KeychainError) throws(KeychainError) -> KeychainError {
    try output.withArray(failure)
  }

  /// Says to a person on a terminal what is so now.
  func say(_ text: @autoclosure () -> TextForTerminal) {
    if !json { saying.say(text()) }
  }
}

extension StandardStreams {
  /// Writes a text, which may be a secret, and a line feed.
  static func write(line text: borrowing Secret) throws(KeychainError) {
    var line = text.copy()
    line.append("\n")
    try write(line)
  }
}
