import Glibc

/// The C library's text for an `errno`, beginning with a lower-case letter, such as "no such file or directory".
package func errorText(_ number: Int32) -> String {
  guard let text = strerror(number) else { return "error \(number)" }
  let sentence = String(cString: text)
  return sentence.prefix(1).lowercased() + sentence.dropFirst()
}
