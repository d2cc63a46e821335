package import Bytes
import Glibc

/// The environment of a program: that of this process, with some variables that hold secrets.
package struct ProgramEnvironment: ~Copyable {
  /// `NAME=VALUE` and a NUL, one after the other.
  private var text = Secret()
  private var variables: [(name: ByteString, offset: Int)] = []

  package init() {}

  /// Gives a variable a value without NUL, in the place of any that it has.
  package mutating func set(_ name: ByteString, _ value: UnsafeRawBufferPointer) {
    remove(name)
    variables.append((name, text.count))
    text.append(contentsOf: name)
    text.append("=")
    text.append(value)
    text.append(0)
  }

  /// Leaves a variable as this process has it.
  package mutating func remove(_ name: ByteString) {
    variables.removeAll { $0.name == name }
  }

  /// Lends the environment as execve(2) takes it.
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
