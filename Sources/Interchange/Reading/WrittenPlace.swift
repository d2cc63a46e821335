import Bytes
import CredentialProtocols
import Keychain

/// Why a source's words for a place name none.
struct NoPlace: Error {
  let reason: PassedOver.Reason
}

extension Place {
  /// The place of which a source names the server and the port apart.
  ///
  /// - Parameter port: the port as it is written; `nil` or empty if there is none.
  /// - Throws: ``NoPlace`` if one of them can't be read: the server's default port would be another place.
  init(protocol: ByteString, server: ByteString, writtenPort port: ByteString?) throws(NoPlace) {
    self.init(protocol: `protocol`, server: server)
    guard server.canBeServer else { throw NoPlace(unread: server) }
    guard let port = port.nonEmpty else { return }
    guard port.bytes.allSatisfy(\.isDigit), let number = port.text.flatMap({ UInt16($0) }),
      number > 0
    else { throw NoPlace(unread: port) }
    self.init(protocol: `protocol`, server: server, port: number)
  }
}

extension NoPlace {
  /// - Parameter word: what can't be read.
  fileprivate init(unread word: ByteString) {
    reason = word.bytes.withUnsafeBytes { $0.hasVariable(in: 0..<$0.count) } ? .reference : .noPlace
  }
}
