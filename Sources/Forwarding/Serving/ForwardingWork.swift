package import Bytes
import Keychain

/// A request with its sender's permissions, from the agent to the program that opens the keychain.
///
/// Its text is lines: `host` begins the rules of a host on the way, which are lines of a rule file; `grant` is a
/// person's decision; `ask` says that there is a person to ask. `request` is the last line, followed by the sender's
/// request.
package struct ForwardingWork: ~Copyable {
  package let permissions: Permissions
  /// The request's unparsed text.
  package let request: Secret

  /// The largest work, in bytes: the largest request, and rules.
  package static let maximumSize = KeychainExtension.maximumSize + RuleFile.maximumSize

  /// Invalid work, which only an agent of another version writes.
  package struct Malformed: Error {
    package init() {}
  }

  package init(_ permissions: Permissions, _ request: consuming Secret) {
    self.permissions = permissions
    self.request = request
  }

  package var encoded: Secret {
    var text = Secret(capacity: request.count + 1024)
    if permissions.mayAsk { text.append("ask\n") }
    for grant in permissions.grants {
      text.append(grant.isAllowed ? "grant yes " : "grant no ")
      text.append(grant.right == .use ? "use " : "change ")
      var json = JSONWriter()
      json.beginObject()
      json.attributes(of: Item(grant.key))
      json.endObject()
      text.append(json.finishLine())
    }
    for rules in permissions.hosts {
      text.append("host\n")
      for rule in rules {
        text.append(contentsOf: ByteString(rule.text))
        text.append("\n")
      }
    }
    text.append("request\n")
    text.append(request)
    return text
  }

  package init(parsing text: UnsafeRawBufferPointer) throws(Malformed) {
    var lines = Lines(text)
    var mayAsk = false
    var grants: [Permissions.Grant] = []
    var hosts: [[ForwardingRule]] = []
    while true {
      guard let line = lines.next() else { throw Malformed() }
      if line == "request" { break }
      if line == "ask" {
        mayAsk = true
      } else if line == "host" {
        hosts.append([])
      } else if line.starts(with: "grant ") {
        grants.append(try Self.grant(line))
      } else {
        guard !hosts.isEmpty, let rule = try? ForwardingRule(parsing: line) else { throw Malformed() }
        hosts[hosts.count - 1].append(rule)
      }
    }
    permissions = Permissions(hosts: hosts, grants: grants, mayAsk: mayAsk)
    request = Secret(copying: text.part(lines.offset, text.count - lines.offset))
  }

  private static func grant(_ line: UnsafeRawBufferPointer) throws(Malformed) -> Permissions.Grant {
    for (mark, isAllowed, right) in [
      ("grant yes use ", true, .use), ("grant no use ", false, .use), ("grant yes change ", true, .change),
      ("grant no change ", false, .change),
    ] as [(StaticString, Bool, ForwardingRight)] where line.starts(with: mark) {
      let json = line.part(mark.utf8CodeUnitCount, line.count - mark.utf8CodeUnitCount)
      guard let key = try? Self.key(json) else { throw Malformed() }
      return Permissions.Grant(key, right, isAllowed: isAllowed)
    }
    throw Malformed()
  }

  private static func key(_ text: UnsafeRawBufferPointer) throws(JSONReader.Malformed) -> Item.Key {
    var attributes = ItemMembers()
    try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
      _ = try attributes.take(name, value)
    }
    return try attributes.item().key
  }
}
