import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The passwords of PostgreSQL's programs (its documentation, "The Password File"): host, port, database, user and
  /// password, separated by colons; the first matching line counts. An asterisk matches anything: an item can't
  /// represent one for the port or the user, and one for the host doesn't say where to log in.
  public static let pgpass = FileFormat(
    "pgpass", "the passwords of psql and others of PostgreSQL", usualPaths: ["$PGPASSFILE", "~/.pgpass"],
    holdsLoginsAlone: true, severalForTheSame: .firstAnswers,
    looksLike: { shape in
      shape.areLines { line in
        let parts = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        return parts.count > 4 && !parts[1].isEmpty
          && parts[1].allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "*") }
      }
    }
  ) { text throws(FormatFault) in
    var found = FoundLogins()
    var former: [[ByteString?]] = []
    for line in FileLines(text) where !line.text.isEmpty {
      if line.text.first == UInt8(ascii: "#") {
        found.noteOthers()
      } else {
        readPassword(line, after: &former, &found)
      }
    }
    return found
  }
}

/// - Parameter former: the places of the lines before, with `nil` for anything.
private func readPassword(
  _ line: FileLine, after former: inout [[ByteString?]], _ found: inout FoundLogins
) {
  let origin = Origin.line(line.number)
  var parts = [0..<0]
  var index = 0
  while index < line.text.count {
    let byte = line.text[index]
    if byte == UInt8(ascii: ":") {
      // psql ends the password there, and other programs don't.
      if parts.count == 5 { return found.passOver(origin, .disputed) }
      parts.append(index + 1..<index + 1)
      index += 1
      continue
    }
    // The character after a backslash is literal.
    index += byte == UInt8(ascii: "\\") && index + 1 < line.text.count ? 2 : 1
    parts[parts.count - 1] = parts[parts.count - 1].lowerBound..<index
  }
  guard parts.count == 5 else { return found.passOver(origin, .malformed) }
  let names = parts.prefix(4).map { part in ByteString(line.text.unescaped(part)) }
  let password = line.text.unescaped(parts[4])
  if password.isEmpty { return found.passOver(origin, .noSecret) }
  // An escaped asterisk belongs to a name.
  let isAny = parts.prefix(4).map { line.text.slice($0) == "*" }
  let pattern = zip(names, isAny).map { $1 ? nil : $0 }
  let isCovered = former.contains { $0 != pattern && zip($0, pattern).allSatisfy { $0 == nil || $0 == $1 } }
  former.append(pattern)
  if isCovered { return found.passOver(origin, .notInUse) }
  // An empty field matches no database and no user (libpq's `passwordFromFile`).
  guard !isAny[0], names[0].canBeServer, !names[2].isEmpty, !names[3].isEmpty else {
    return found.passOver(origin, .noPlace)
  }
  let port = names[1].text.flatMap { UInt16($0) }
  guard port != nil || isAny[1] else { return found.passOver(origin, .malformed) }
  var entry = SourceEntry(at: origin, removals: [Removal(line.range)])
  if isAny[1] { entry.add("asterisk for the port", .part) }
  if isAny[3] { entry.add("asterisk for the user", .part) }
  let place = Place(
    protocol: "postgresql", server: names[0], port: port == 5432 ? nil : port,
    path: isAny[2] ? nil : names[2])
  found.take(
    Item(place.key(account: isAny[3] ? nil : names[3], for: nil)), Credential(password), of: entry)
}

extension UnsafeRawBufferPointer {
  /// A range without escaping backslashes.
  fileprivate func unescaped(_ range: Range<Int>) -> Secret {
    var plain = Secret(capacity: range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      if self[index] == UInt8(ascii: "\\"), index + 1 < range.upperBound { index += 1 }
      plain.append(self[index])
      index += 1
    }
    return plain
  }
}
