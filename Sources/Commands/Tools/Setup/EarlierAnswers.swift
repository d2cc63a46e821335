import Bytes

/// Settings of a tool that keep it from asking llavero, or let something else answer first.
struct EarlierAnswers: Sendable {
  let file: ConfigurationFile
  /// Finds them in the file's text: sentences for people, in lowercase, without a full stop and without secrets, each
  /// with the file that has the setting; `nil` if none has it.
  let find: @Sendable (_ text: [UInt8]) throws(ConfigurationFault) -> [(path: String?, sentence: String)]

  /// Settings in that very file.
  init(
    in file: ConfigurationFile,
    _ find: @escaping @Sendable (_ text: [UInt8]) throws(ConfigurationFault) -> [String]
  ) {
    self.init(around: file) { (text) throws(ConfigurationFault) in
      try find(text).map { (file.path, $0) }
    }
  }

  /// Settings in that file and in others that the tool reads with it.
  init(
    around file: ConfigurationFile,
    _ find:
      @escaping @Sendable (_ text: [UInt8]) throws(ConfigurationFault) -> [(
        path: String?, sentence: String
      )]
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
  /// The settings that come before llavero, as far as the tool's files are valid: the path of the file that has them, and a sentence.
  func answersBefore(_ place: SetupPlace) -> [(path: String?, sentence: String)] {
    (try? earlier(place.forRemoving))?.flatMap { answers -> [(path: String?, sentence: String)] in
      guard let text = try? answers.file.contents() else { return [] }
      return (try? answers.find(text)) ?? []
    } ?? []
  }
}
