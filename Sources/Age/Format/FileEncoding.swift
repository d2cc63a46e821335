import Bytes

/// The two forms in which an age file is stored.
public enum FileEncoding: Hashable, Sendable {
  /// As bytes.
  case binary
  /// As text: see ``Armor``.
  case armored

  /// Detects from a file's beginning whether it is an age file, of version 1 or another, and its form; nil if not.
  public static func detect(_ bytes: UnsafeRawBufferPointer) -> FileEncoding? {
    if bytes.starts(with: "age-encryption.org/") { return .binary }
    return Armor.isArmored(bytes) ? .armored : nil
  }
}
