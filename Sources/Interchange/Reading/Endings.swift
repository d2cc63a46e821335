import Keychain

extension ByteString {
  /// Whether these are its last bytes.
  func ends(with ending: String) -> Bool { bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) }
}
