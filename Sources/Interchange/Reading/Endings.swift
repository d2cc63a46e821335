import Keychain

extension ByteString {
  func ends(with ending: String) -> Bool { bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8) }
}
