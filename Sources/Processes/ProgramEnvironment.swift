package import Bytes
import Glibc

/// The environment for a program: that of this process, with additional variables that contain secrets.
package struct ProgramEnvironment: ~Copyable {
  /// The additional variables as `NAME=VALUE`, each followed by a NUL.
  private var text = Secret()
  private var variables: [(name: ByteString, offset: Int)] = []

  package init() {}

  /// Sets a variable, replacing its present value. The value must not contain NUL.
  package mutating func set(_ name: ByteString, _ value: UnsafeRawBufferPointer) {
    remove(name)
    variables.append((name, text.count))
    text.append(contentsOf: name)
    text.append("=")
    text.append(value)
    text.append(0)
  }

  /// Restores the value that a variable has in this process.
  package mutating func remove(_ name: ByteString) {
    variables.removeAll { $0.name == name }
  }

  /// Passes the environment to `body` in the form that execve(2) takes.
  package borrowing func withPointers<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let variable = next.pointee {
      let name = UnsafeRawBufferPointer(start: variable, count: strcspn(variable, "="))
      if !variables.contains(where: { $0.name.bytes.elementsEqual(name) }) { pointers.append(variable) }
      next += 1
    }
    return text.withUnsafeBytes { text in
      for variable in variables {
        guard let base = text.baseAddress else { continue }
        let start = (base + variable.offset).assumingMemoryBound(to: CChar.self)
        pointers.append(UnsafeMutablePointer(mutating: start))
      }
      pointers.append(nil)
      return body(pointers)
    }
  }
}
