package import Bytes
import Glibc

/// The environment for a program: that of this process, with additional variables that contain secrets.
package struct ProgramEnvironment: ~Copyable {
  /// The additional variables as `NAME=VALUE`, each followed by a NUL.
  private var text = Secret()
  private var variables: [(name: ByteString, offset: Int)] = []

  package init() {}

  /// Replaces the variable's present value. The value must not contain NUL.
  package mutating func set(_ name: ByteString, _ value: UnsafeRawBufferPointer) {
    remove(name)
    variables.append((name, text.count))
    text.append(contentsOf: name)
    text.append("=")
    text.append(value)
    text.append(0)
  }

  /// Restores this process's value of a variable.
  package mutating func remove(_ name: ByteString) {
    variables.removeAll { $0.name == name }
  }

  /// Passes the environment, `NAME=VALUE`, to `body`, for as long as that runs.
  package borrowing func withVariables<Result>(_ body: ([CString]) -> Result) -> Result {
    let kept = CString.environment { variable in
      let name = UnsafeRawBufferPointer(start: variable.pointer, count: strcspn(variable.pointer, "="))
      return !variables.contains { $0.name.bytes.elementsEqual(name) }
    }
    return text.withUnsafeBytes { text in
      body(
        kept
          + variables.map { CString(pointer: (text.start + $0.offset).assumingMemoryBound(to: CChar.self)) })
    }
  }
}
