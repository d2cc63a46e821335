import ArgumentParser
import Keychain
import KeychainChoice
import ToolCommands

struct GenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate",
    abstract: "Generate a secret, and store it",
    discussion: """
      Stores the secret in an item; --print also prints it. Without a place it is only printed.

        llavero generate https://git.example.com --account alice
        llavero generate https://git.example.com --account alice --update --print
        llavero generate --words 6
      """)

  @OptionGroup private var place: NewPlaceArguments
  @OptionGroup var recipe: RecipeOptions
  @OptionGroup var notes: ItemAttributeOptions

  @Option("When the secret expires: 2027-01-31, 2027-01-31T12:00:00Z, 30d or 12h", value: "when")
  var expires: String?

  @Flag(help: "If the item exists, change its secret, and the label, comment and so on that you give")
  var update = false

  @Flag(help: "Print the secret")
  var print = false

  @OptionGroup var keychain: KeychainOptions
  @OptionGroup var output: ChangeOutputOptions

  func validate() throws {
    if place.url != nil, place.service != nil { throw ValidationError.bothPlaces }
    if place.isPlace { return }
    if place.account != nil || place.domain != nil || !notes.isEmpty || expires != nil || update
      || output.json
    {
      throw ValidationError("Name a URL or --service to keep the secret for.")
    }
  }

  func run() throws(KeychainError) {
    let recipe = try recipe.recipe()
    if !place.isPlace {
      tell(recipe)
      return try StandardStreams.write(line: recipe.draw())
    }
    var change = CredentialChange()
    if let expires { change.expiry = .some(try ExpiryText.expiry(expires, at: .now)) }
    let place = place.named
    let key = try place.key()
    try place.refuseImpossibleHost(key, in: "generate")
    var item = Item(key)
    notes.note(on: &item)
    let saysRemarks = !output.quiet && !output.json
    let open = try self.keychain.open()
    if saysRemarks { place.sayIfTakenAsHost(key, in: "generate") }
    var credential = Credential(recipe.draw())
    change.apply(to: &credential)
    let kept = open.named(try keep(item, credential, in: open.own))
    open.remember()
    if saysRemarks { kept.key.sayIfNameIsLeftToGit() }
    output.say("stored \(kept.key.inSentence)")
    tell(recipe)
    if output.json, print {
      try StandardStreams.write(ItemOutput.json(kept, credential))
    } else if output.json {
      try output.write(kept.report)
    } else if print {
      try StandardStreams.write(line: credential.secret)
    }
  }

  private func keep(
    _ item: Item, _ credential: borrowing Credential, in keychain: any KeychainStore
  ) throws(KeychainError) -> Item {
    do throws(KeychainError) {
      return try keychain.put(item, credential, isUpdate: update) { notes.note(on: &$0) }.item
    } catch .duplicateItem {
      // The keychain's own spelling, unless the item is gone already.
      let key = (try? keychain.twin(of: item))?.key ?? item.key
      throw .alreadyThere(key)
    }
  }

  private func tell(_ recipe: SecretRecipe) {
    if output.quiet { return }
    let bits = Int(recipe.bits)
    StandardStreams.say(
      "the secret has \(countText(bits, "bit")) of randomness" + (bits < 60 ? ", which is few" : ""))
  }
}

struct RecipeOptions: ParsableArguments {
  @Option("How many characters it has (default: \(SecretRecipe.usualLength))", value: "n")
  var length: Int?

  @Option(
    "Classes of characters, at least one from each: lowercase, uppercase, letters, digits, symbols, separated by commas (default: letters,digits)",
    value: "classes")
  var alphabet: String?

  @Option("Only these characters", value: "text")
  var characters: String?

  @Flag(help: "Leave out characters that look alike: 0 O 1 l I |")
  var noAmbiguous = false

  @Option("Use this many words instead of characters, 10 bits each", value: "n")
  var words: Int?

  @Option("What stands between words (default: -)", value: "text")
  var separator: String?

  func validate() throws {
    if let length, !(1...1024 ~= length) { throw ValidationError("--length is from 1 to 1024.") }
    if let words, !(1...64 ~= words) { throw ValidationError("--words is from 1 to 64.") }
    if words != nil, length != nil || alphabet != nil || characters != nil || noAmbiguous {
      throw ValidationError("Either words or characters: --words goes with --separator alone.")
    }
    if words == nil, separator != nil { throw ValidationError("--separator goes with --words.") }
    if alphabet != nil, characters != nil { throw ValidationError("Either --alphabet or --characters.") }
  }

  /// - Throws: ``KeychainError`` if no secret can be made from the options.
  func recipe() throws(KeychainError) -> SecretRecipe {
    if let words {
      let separator = separator ?? "-"
      // Otherwise word boundaries would be ambiguous, and some secrets could be made in two ways.
      if separator.isEmpty || separator.utf8.count > 16
        || separator.utf8.contains(where: { 0x61...0x7a ~= $0 })
        || terminalText(separator) != separator
      {
        throw .failure("a separator is a short text without small letters", status: .usage)
      }
      return .words(words, separator: separator)
    }
    var alphabets =
      if let characters { [try Alphabet.set(of: characters)] } else {
        try Alphabet.sets(named: alphabet ?? "letters,digits")
      }
    if noAmbiguous {
      let ambiguous = Array(Alphabet.ambiguous.unicodeScalars)
      alphabets = alphabets.map { $0.filter { !ambiguous.contains($0) } }
    }
    if alphabets.contains(where: \.isEmpty) || alphabets.count == 1 && alphabets[0].count < 2 {
      throw .failure("a secret needs two different characters at least to choose from", status: .usage)
    }
    let length = length ?? SecretRecipe.usualLength
    if length < alphabets.count {
      throw .failure(
        "\(countText(length, "character")) can't have one of each of \(alphabets.count) classes",
        status: .usage)
    }
    return .characters(length, of: alphabets)
  }
}
