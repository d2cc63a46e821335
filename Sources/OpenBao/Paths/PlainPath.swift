import Bytes

/// A server's paths that aren't items, and aren't encoded.
package enum PlainPath {
  /// Whether a text can be a mount, a namespace or a folder: components of letters, digits and `-._~`, none of dots
  /// alone, with single slashes between them, at most 1,024 bytes.
  package static func isOne(_ text: String) -> Bool {
    1...1024 ~= text.utf8.count
      && text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
        component in
        component.contains { $0 != UInt8(ascii: ".") }
          && component.allSatisfy { $0.isLetterOrDigit || "-._~".utf8.contains($0) }
      }
  }
}
