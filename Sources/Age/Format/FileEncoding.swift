import Bytes

/// The two forms in which an age file is stored.
public enum FileEncoding: Hashable, Sendable {
  /// As bytes.
  case binary
  /// As text: see ``Armor``.
  case armored

  /// Detects from the beginning of a file whether it is an age file, of version 1 or another, and in which form; nil
  /// if it isn't one.
  public static func detect(_ bytes: UnsafeRawBufferPointer) -> FileEncoding? {
    if bytes.starts(with: "age-encryption.org/") { return .binary }
    return Armor.isArmored(bytes) ? .armored : nil
  }
}
