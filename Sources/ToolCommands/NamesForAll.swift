package import Bytes
package import Keychain
package import KeychainChoice
package import Renewing

extension NameForAll {
  /// The name at a place, of an open keychain. That of another machine, and one on a server, give no client.
  package static func find(for key: InternetPassword, in open: OpenKeychain) -> ByteString? {
    find(for: key, in: open.forwarded == nil && open.choice.kind != .openBao ? open.keychain : nil)
  }
}
