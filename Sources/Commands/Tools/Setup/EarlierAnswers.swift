import Bytes
import Keychain

/// Settings of a tool that keep it from asking llavero, or let something else answer first.
struct EarlierAnswers: Sendable {
  /// One of them.
  struct Answer: Sendable {
    /// The path of the file that has the setting; `nil` if none has it.
    let path: String?
    /// For people: in lowercase, without a full stop and without secrets.
    let sentence: String
    /// What leaves it to llavero; `nil` if that is for the person to decide.
    var remedy: Hint?
  }

  let file: ConfigurationFile
  /// Finds them in the file's text.
  let find: @Sendable (_ text: [UInt8]) throws(ConfigurationFault) -> [Answer]

  /// Settings in that very file, by their sentences.
  init(
    in file: ConfigurationFile,
    _ find: @escaping @Sendable (_ text: [UInt8]) throws(ConfigurationFault) -> [String]
  ) {
    self.init(around: file) { (text) throws(ConfigurationFault) in
      try find(text).map { Answer(path: file.path, sentence: $0) }
    }
  }

  /// Settings in that file and in others that the tool reads with it.
  init(
    around file: ConfigurationFile,
    _ find: @escaping @Sendable (_ text: [UInt8]) throws(ConfigurationFault) -> [Answer]
  ) {
    self.file = file
    self.find = find
  }

  /// The names of the members of an object in a JSON object, each with its text if it is a string.
  static func members(
    of name: StaticString, in text: [UInt8]
  ) throws(ConfigurationFault) -> [(name: String, text: String?)] {
    do throws(JSONReader.Malformed) {
      return try text.lendingBytes { (text) throws(JSONReader.Malformed) -> [(name: String, text: String?)] in
        var found: [(name: String, text: String?)] = []
        try JSONReader.members(of: text) { (member, value) throws(JSONReader.Malformed) in
          guard member == name, value.kind == .object else { return }
          try JSONReader.members(of: value.raw) { (member, value) throws(JSONReader.Malformed) in
            let text = value.kind == .string ? try value.string().description : nil
            found.append((try JSONValue.name(member).description, text))
          }
        }
        return found
      }
    } catch {
      throw ConfigurationFault("it is not the JSON that its tool reads")
    }
  }
}

extension ToolSetup {
  /// The settings that come before llavero, as far as the tool's files are valid.
  func answersBefore(_ place: SetupPlace) -> [EarlierAnswers.Answer] {
    (try? earlier(place.forRemoving))?.flatMap { answers -> [EarlierAnswers.Answer] in
      guard let text = try? answers.file.contents() else { return [] }
      return (try? answers.find(text)) ?? []
    } ?? []
  }
}
