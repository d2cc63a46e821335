import Glibc
import Properties

/// The property that is checked: that of the target whose name the executable was started by. libFuzzer reads it from
/// one thread.
private nonisolated(unsafe) var checked: (any Property.Type)?

/// The function that libFuzzer calls first, with the process's arguments.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
  let path = arguments.pointee.pointee.map { String(cString: $0) } ?? ""
  let name = path.split(separator: "/").last.map(String.init) ?? ""
  checked = property(named: name)
  if checked == nil { fail("no such target: \(name)") }
  return 0
}

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(PropertyFailure) {
    try checked?.check(UnsafeRawBufferPointer(start: bytes, count: count))
  } catch {
    fail("property broken: \(error)")
  }
  return 0
}

private func fail(_ message: String) -> Never {
  let text = Array("\(message)\n".utf8)
  _ = write(STDERR_FILENO, text, text.count)
  abort()
}
