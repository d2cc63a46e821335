import Bytes

/// The 128-bit key of one file, from which the header's MAC key and the payload's key are derived (C2SP age.md, "File
/// key"). It is kept in memory that is wiped, and can be neither copied nor printed.
public struct FileKey: ~Copyable, Sendable {
  /// The size of a file key in bytes.
  public static let size = 16

  private let bytes: Secret

  /// Makes a random key. Each file, each time it is written, needs a new one.
  public init() {
    bytes = Secret(count: FileKey.size) { Sodium.randomize($0) }
  }

  /// Takes a key from another kind of recipient or from a cache.
  ///
  /// - Parameter bytes: the 16 bytes, which are copied; the caller wipes the original.
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/length`` for any other number of bytes.
  public init(bytes: UnsafeRawBufferPointer) throws(AgeError) {
    guard bytes.count == FileKey.size else { throw .invalidKey(.length) }
    self.bytes = Secret(copying: bytes)
  }

  init(adopting bytes: consuming Secret) {
    self.bytes = bytes
  }

  /// Lends the 16 bytes to `body`; the pointer is not valid afterwards.
  public borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try bytes.withUnsafeBytes(body)
  }
}

/// A recipient that a file can be encrypted for.
public protocol Recipient: Sendable {
  /// Wraps a file key in one or more stanzas for the header, with fresh randomness each time.
  ///
  /// - Throws: ``AgeError/invalidKey(_:)`` with ``KeyFault/lowOrder`` if nothing can be encrypted for its key;
  ///   ``AgeError/outOfMemory(bytes:)`` for a passphrase; ``AgeError/plugin(name:fault:)``.
  func wrap(_ fileKey: borrowing FileKey) throws(AgeError) -> [Stanza]

  /// Wraps a file key and also returns the labels, by default none. A recipient with labels, such as `postquantum`,
  /// can only be combined with recipients of the same labels; otherwise the weaker one would open the file as well.
  ///
  /// - Throws: what ``wrap(_:)`` throws.
  func wrapWithLabels(_ fileKey: borrowing FileKey) throws(AgeError) -> WrappedFileKey
}

extension Recipient {
  /// Wraps a file key, without labels.
  ///
  /// - Throws: what ``wrap(_:)`` throws.
  public func wrapWithLabels(_ fileKey: borrowing FileKey) throws(AgeError) -> WrappedFileKey {
    WrappedFileKey(stanzas: try wrap(fileKey))
  }
}

/// A file key as wrapped by a recipient.
public struct WrappedFileKey: Sendable {
  /// The stanzas for the header.
  public let stanzas: [Stanza]
  /// The labels that all recipients of the file must have in common; usually none.
  public let labels: Set<String>

  /// Makes a wrapped file key.
  public init(stanzas: [Stanza], labels: Set<String> = []) {
    self.stanzas = stanzas
    self.labels = labels
  }
}

/// The secret counterpart of a recipient. A class, so that its secret exists once and is wiped once.
public protocol Identity: AnyObject, Sendable {
  /// Unwraps the file key from those of a header's stanzas that this identity knows; nil if none is meant for it.
  ///
  /// - Throws: ``AgeError/header(_:)`` for a malformed stanza of its own kind; the file is then refused, whatever
  ///   other identities there are. Passphrases: ``AgeError/workFactorTooHigh(logN:limit:)``,
  ///   ``AgeError/outOfMemory(bytes:)``. Plugins: ``AgeError/plugin(name:fault:)``.
  func unwrap(_ stanzas: [Stanza]) throws(AgeError) -> FileKey?
}
