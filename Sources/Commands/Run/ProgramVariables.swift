import Bytes
import CredentialProtocols
import Glibc
import Keychain
import ToolCommands

/// The variables to set for a program: values with references to secrets.
struct ProgramVariables: ~Copyable {
  private struct Variable {
    let name: ByteString
    let value: Range<Int>
    /// `nil` if the value is a secret, and isn't looked into.
    let parts: ReferencesInText?
  }

  private var text = Secret()
  private var variables: [Variable] = []

  /// Sets a variable, replacing one with the same name.
  ///
  /// - Parameter origin: the beginning of a failure's message: the file and line, or nothing.
  /// - Throws: ``KeychainError`` if something in it looks like a reference, but is invalid. The message doesn't show the
  ///   value.
  mutating func set(
    _ name: ByteString, _ value: UnsafeRawBufferPointer, from origin: String = ""
  ) throws(KeychainError) {
    let parts: ReferencesInText
    do throws(ReferencesInText.Fault) {
      parts = try ReferencesInText(value, isValue: true)
    } catch {
      throw Self.failure(for: error, in: "\(origin)the variable \(name)")
    }
    set(name, value, parts)
  }

  /// Sets a variable to a secret, replacing one with the same name.
  mutating func set(_ name: ByteString, secret: borrowing Secret) {
    secret.withUnsafeBytes { set(name, $0, nil) }
  }

  private mutating func set(_ name: ByteString, _ value: UnsafeRawBufferPointer, _ parts: ReferencesInText?) {
    variables.removeAll { $0.name == name }
    variables.append(Variable(name: name, value: text.count..<(text.count + value.count), parts: parts))
    text.append(value)
  }

  /// The secrets that aren't references.
  func forEachSecret(_ body: (UnsafeRawBufferPointer) -> Void) {
    text.withUnsafeBytes { text in
      for variable in variables where variable.parts == nil {
        body(UnsafeRawBufferPointer(rebasing: text[variable.value]))
      }
    }
  }

  private static func failure(for fault: ReferencesInText.Fault, in place: String) -> KeychainError {
    if fault.isMarked || fault.offset == 0 {
      return .failure(
        "\(place) has a reference that can't be understood", hint: .references, status: .usage)
    }
    return .failure(
      "\(place) has a reference inside its value, which is resolved in braces alone",
      hint: "write it as ${llavero://SERVICE/ACCOUNT}, in quotes that keep the shell from it", status: .usage)
  }

  /// Takes this process's variables with references, unless they are set already.
  ///
  /// - Throws: ``KeychainError``, as ``set(_:_:from:)`` does.
  mutating func inherit() throws(KeychainError) {
    var next = environ
    while let variable = next.pointee {
      next += 1
      guard strstr(variable, "llavero") != nil, let equals = strchr(variable, Int32(UInt8(ascii: "="))) else {
        continue
      }
      let name = ByteString(UnsafeRawBufferPointer(start: variable, count: equals - variable))
      if variables.contains(where: { $0.name == name }) { continue }
      let value = UnsafeRawBufferPointer(start: equals + 1, count: strlen(equals + 1))
      try set(name, value)
      // Without references, it is inherited unchanged.
      if variables.last?.parts?.hasReferences == false { variables.removeLast() }
    }
  }

  /// Whether a variable of this process seems to have a reference.
  static var areInherited: Bool {
    var next = environ
    while let variable = next.pointee {
      if strstr(variable, "llavero:") != nil || strstr(variable, "llavero+") != nil { return true }
      next += 1
    }
    return false
  }

  /// For people, in the order in which they are set.
  var shown: [ShownVariable] {
    variables.map { variable in
      ShownVariable(name: variable.name, references: variable.parts?.references(in: "").map(\.text) ?? [])
    }
  }

  var references: [PlacedReference] { variables.flatMap { $0.parts?.references(in: "\($0.name)") ?? [] } }

  /// Sets the variables.
  ///
  /// - Throws: ``KeychainError`` if a secret has a NUL byte in it, or a reference, which no program gets: a `llavero run`
  ///   inside it would let somebody else choose a secret.
  func set(
    in environment: inout ProgramEnvironment, _ resolved: borrowing ResolvedReferences
  ) throws(KeychainError) {
    var (unusable, referring): ([ByteString], [ByteString]) = ([], [])
    for variable in variables {
      text.withUnsafeBytes { text in
        let whole = UnsafeRawBufferPointer(rebasing: text[variable.value])
        let value =
          if let parts = variable.parts { resolved.filled(whole, parts.parts) } else {
            Secret(copying: whole)
          }
        value.withUnsafeBytes {
          if $0.contains(0) { unusable.append(variable.name) }
          // Without references, the value is known.
          if variable.parts?.hasReferences ?? true, Self.refers($0) { referring.append(variable.name) }
          environment.set(variable.name, $0)
        }
      }
    }
    if let name = referring.first {
      throw .failure(
        "the secret for \(name) has a reference in it, which another 'llavero run' would resolve",
        status: .keychain)
    }
    if unusable.isEmpty { return }
    throw .failure(
      "the secret for \(unusable.map { "\($0)" }.joined(separator: ", ")) has a NUL byte in it, which no variable can hold",
      status: .keychain)
  }

  /// Whether something in a text is or looks like a reference.
  private static func refers(_ text: UnsafeRawBufferPointer) -> Bool {
    (try? ReferencesInText(text, isValue: true))?.hasReferences ?? true
  }
}

extension ProgramVariables {
  /// Reads a file of variables.
  ///
  /// - Throws: ``KeychainError`` that names the line.
  mutating func read(_ text: borrowing Secret, of file: String) throws(KeychainError) {
    var reader = EnvironmentFile { name, value in
      guard let found = getenv("\(name)") else { return false }
      value.append(UnsafeRawBufferPointer(start: found, count: strlen(found)))
      return true
    }
    var failure: KeychainError?
    do throws(EnvironmentFile.Fault) {
      try text.withUnsafeBytes { (text) throws(EnvironmentFile.Fault) in
        try reader.read(text) { (line, name, value) in
          if failure != nil { return }
          do throws(KeychainError) {
            try set(name, value, from: "\(file): line \(line): ")
          } catch { failure = error }
        }
      }
    } catch {
      throw .failure(
        "\(file): line \(error.line) \(error.message)", hint: error.hint.map { "\(prose: $0)" },
        status: .usage)
    }
    if let failure { throw failure }
  }
}
