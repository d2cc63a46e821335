import Glibc

/// A C string from the environment or the program, which lives as long as the process.
package struct CString {
  package let pointer: UnsafePointer<CChar>

  /// The value of a variable; `nil` if it isn't set or is empty.
  package init?(variable name: String) {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    pointer = UnsafePointer(value)
  }

  package init(_ literal: StaticString) {
    pointer = UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
  }

  /// Copies text that is not secret; the copy is never freed.
  package init(copying text: String) {
    guard let copy = strdup(text) else { fatalError("out of memory") }
    pointer = UnsafePointer(copy)
  }

  /// Copies bytes that are not secret; the copy is never freed.
  package init(copying bytes: ByteString) {
    let copy = (bytes.bytes + [0]).withUnsafeBytes { bytes -> UnsafeMutablePointer<CChar>? in
      bytes.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) }
    }
    guard let copy else { fatalError("out of memory") }
    pointer = UnsafePointer(copy)
  }

  package static func arguments(from first: Int) -> [CString] {
    let count = Int(CommandLine.argc)
    return (min(first, count)..<count).compactMap { index in
      CommandLine.unsafeArgv[index].map { CString(pointer: UnsafePointer($0)) }
    }
  }

  package static func bytesOfArguments(from first: Int) -> [ByteString] {
    var bytes: [ByteString] = []
    var index = first
    while let argument = argument(at: index) {
      bytes.append(argument.bytes)
      index += 1
    }
    return bytes
  }

  package static func argument(at index: Int) -> CString? {
    guard index < Int(CommandLine.argc), let argument = CommandLine.unsafeArgv[index] else { return nil }
    return CString(pointer: UnsafePointer(argument))
  }

  package init(pointer: UnsafePointer<CChar>) { self.pointer = pointer }

  /// Passes arguments to `body` in the form that execve(2) takes.
  package static func withPointers<Result>(
    _ arguments: [CString], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    body(arguments.map { UnsafeMutablePointer(mutating: $0.pointer) } + [nil])
  }

  /// This process's variables, as `NAME=VALUE`, for which the condition holds.
  package static func environment(where isKept: (CString) -> Bool) -> [CString] {
    var kept: [CString] = []
    var next = environ
    while let variable = next.pointee {
      let variable = CString(pointer: variable)
      if isKept(variable) { kept.append(variable) }
      next += 1
    }
    return kept
  }

  /// Whether this `NAME=VALUE` is the variable of that name.
  package func isVariable(_ name: String) -> Bool {
    let length = name.utf8.count
    return strncmp(pointer, name, length) == 0 && pointer[length] == CChar(bitPattern: 0x3d)
  }

  /// The bytes, without the NUL at the end.
  package var bytes: ByteString { ByteString(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer))) }

  /// The text, with bytes that are not UTF-8 replaced.
  package var text: String { String(cString: pointer) }
}
