import Bytes
import Forwarding
import Keychain

/// A question for a person, from the agent to the asking program.
struct QuestionText {
  /// The hosts on the way, the nearest first, as in rules.
  let hosts: [ByteString]
  /// The tool, as named by the other side.
  let tool: ByteString
  /// The item, and the requested access.
  let question: ForwardingService.Question

  init(hosts: [ByteString], tool: ByteString, _ question: ForwardingService.Question) {
    self.hosts = hosts
    self.tool = tool
    self.question = question
  }

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

  /// The question in one sentence with a full stop. Names given by others are quoted, with invisible characters and
  /// quotes escaped.
  var sentence: String {
    let hosts = hosts.map { shown($0) }
    let way =
      hosts.count > 1 ? " (through \(hosts.dropLast().joined(separator: ", ")), which gets it, too)" : ""
    let key = question.item.key
    let account = key.account.map { $0.isEmpty ? "" : " of \"\(shown($0))\"" } ?? ""
    // Storing or deleting reveals what is there, so this is one right.
    let wish = question.right == .use ? "use" : "use, change and delete"
    return "\(hosts.last ?? "")\(way) asks to \(wish) the login\(account) for \"\(shown(key.place))\"; "
      + "the tool calls itself \"\(shown(tool))\"."
  }

  /// A part of the sentence, short enough for a window.
  private func shown(_ text: some CustomStringConvertible) -> String {
    let text = showingInvisible(text.description).split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\\u{22}")
    return text.count > Self.maximumPart ? "\(text.prefix(Self.maximumPart))…" : text
  }

  private static let maximumPart = 300
}
