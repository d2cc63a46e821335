import Bytes

/// A login in JSON that is a member of an object, named after its place: `{"auths": {"HOST": …}}`.
struct JSONLogin {
  let group: ByteString
  let name: ByteString
  let value: JSONValue
  let origin: Origin
  let range: Range<Int>
  /// Removes it from the file, with its name.
  let removal: Removal
}

extension FoundLogins {
  /// Reads a JSON file whose logins are members of one or more objects. An invalid one is skipped.
  ///
  /// - Parameters:
  ///   - program: the file's program.
  ///   - areLogins: whether a member of the file contains logins.
  ///   - take: adds a login, or skips it.
  /// - Throws: ``FormatFault`` if it isn't JSON, or `areLogins` throws.
  init(
    inJSON text: UnsafeRawBufferPointer, of program: String,
    where areLogins: (ByteString, JSONValue) throws(JSONReader.Malformed) -> Bool,
    _ take: (JSONLogin, inout FoundLogins) throws(JSONReader.Malformed) -> Void
  ) throws(FormatFault) {
    var found = FoundLogins()
    var positions = FilePositions(text)
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: text) { (name, logins) throws(JSONReader.Malformed) in
        let group = try JSONValue.name(name)
        guard try areLogins(group, logins) else { return found.noteOthers() }
        try JSONReader.members(of: logins.raw) { (name, value) throws(JSONReader.Malformed) in
          let origin = Origin.line(positions.line(of: name))
          let range = positions.range(of: value.raw)
          let removal = Removal(member: positions.range(of: name).lowerBound - 1..<range.upperBound)
          do throws(JSONReader.Malformed) {
            let login = JSONLogin(
              group: group, name: try JSONValue.name(name), value: value, origin: origin, range: range,
              removal: removal)
            try take(login, &found)
          } catch {
            found.passOver(origin, .malformed)
          }
        }
      }
    } catch {
      throw FormatFault("it is not JSON that \(program) writes")
    }
    self = found
  }
}
