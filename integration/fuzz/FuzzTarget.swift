import Glibc
import Properties

/// The function that libFuzzer calls with each input. `Target` is the property that the executable was built with.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(PropertyFailure) {
    try Target.check(UnsafeRawBufferPointer(start: bytes, count: count))
  } catch {
    let text = Array("property broken: \(error)\n".utf8)
    _ = write(STDERR_FILENO, text, text.count)
    abort()
  }
  return 0
}
