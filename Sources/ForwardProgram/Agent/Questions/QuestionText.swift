import Bytes
import Forwarding
import Keychain

/// What a person is asked, as the agent hands it to the program that asks.
struct QuestionText {
  /// The hosts on the way, the nearest first, as rules name them.
  let hosts: [ByteString]
  /// The tool, as the other side names it.
  let tool: ByteString
  /// The item, and what is to be done with it.
  let question: ForwardingService.Question

  /// Puts a question together.
  init(hosts: [ByteString], tool: ByteString, _ question: ForwardingService.Question) {
    self.hosts = hosts
    self.tool = tool
    self.question = question
  }

  /// The largest text, in bytes.
  static let maximumSize = 1 << 20

  /// The text: a line of JSON with the hosts and the tool, and another with the question.
  var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.beginArray("hosts")
    for host in hosts { json.element(host) }
    json.endArray()
    json.member("tool", tool)
    json.endObject()
    var text = json.finishLine()
    text.append(question.encoded)
    return text
  }

  /// Parses a text.
  ///
  /// - Throws: ``ForwardingWork/Malformed``.
  init(parsing text: UnsafeRawBufferPointer) throws(ForwardingWork.Malformed) {
    var lines = Lines(text)
    guard let head = lines.next() else { throw ForwardingWork.Malformed() }
    var hosts: [ByteString] = []
    var tool: ByteString?
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: head) { (name, value) throws(JSONReader.Malformed) in
        if name == "hosts" {
          try JSONReader.elements(of: value.raw) { (host) throws(JSONReader.Malformed) in
            hosts.append(try host.string())
          }
        } else if name == "tool" {
          tool = try value.string()
        }
      }
    } catch {
      throw ForwardingWork.Malformed()
    }
    guard let tool, ForwardRequest.isWord(tool), !hosts.isEmpty else { throw ForwardingWork.Malformed() }
    self.hosts = hosts
    self.tool = tool
    question = try ForwardingService.Question(
      parsing: text.part(lines.offset, text.count - lines.offset))
  }

  /// The question in one sentence, which ends with a full stop. What others have named is quoted, and invisible
  /// characters and quotes in it are shown as such.
  var sentence: String {
    let hosts = hosts.map { shown($0) }
    let way =
      hosts.count > 1 ? " (through \(hosts.dropLast().joined(separator: ", ")), which gets it, too)" : ""
    let key = question.item.key
    let account = key.account.map { $0.isEmpty ? "" : " of \"\(shown($0))\"" } ?? ""
    // Who may store or delete something finds out what is there, so this is one right.
    let wish = question.right == .use ? "use" : "use, change and delete"
    return "\(hosts.last ?? "")\(way) asks to \(wish) the login\(account) for \"\(shown(key.place))\"; "
      + "the tool calls itself \"\(shown(tool))\"."
  }

  /// A part of the sentence, not too long for a window.
  private func shown(_ text: some CustomStringConvertible) -> String {
    let text = showingInvisible(text.description).split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\\u{22}")
    return text.count > Self.maximumPart ? "\(text.prefix(Self.maximumPart))…" : text
  }

  private static let maximumPart = 300
}
