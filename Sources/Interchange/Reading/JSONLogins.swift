import Bytes

/// A login in JSON that is a member of an object, by the name of what it is for: `{"auths": {"HOST": …}}`.
struct JSONLogin {
  /// The name of the object.
  let group: ByteString
  let name: ByteString
  let value: JSONValue
  let origin: Origin
  /// Where its value is in the file.
  let range: Range<Int>
  /// Takes it out of the file, with its name.
  let removal: Removal
}

extension FoundLogins {
  /// Reads a file in JSON whose logins are members of one or several objects in it. One that can't be understood is skipped.
  ///
  /// - Parameters:
  ///   - program: whose file it is.
  ///   - areLogins: whether the members of a member of the file are logins.
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
