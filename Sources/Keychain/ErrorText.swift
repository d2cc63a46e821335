import Glibc

/// What the C library calls an error number, with a small first letter, as "no such file or directory".
///
/// - Parameter number: an `errno`.
package func errorText(_ number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  let sentence = String(cString: text)
  return sentence.prefix(1).lowercased() + sentence.dropFirst()
}
