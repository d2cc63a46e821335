import Bytes
import CredentialProtocols
import Keychain

struct NoPlace: Error {
  let reason: PassedOver.Reason
}

extension Place {
  /// A place from separate server and port.
  ///
  /// - Parameter port: the port as text; `nil` or empty if there is none.
  /// - Throws: ``NoPlace`` if one of them is invalid: the server's default port would be another place.
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
  /// - Parameter word: the invalid text.
  fileprivate init(unread word: ByteString) {
    reason = word.bytes.withUnsafeBytes { $0.hasVariable(in: 0..<$0.count) } ? .reference : .noPlace
  }
}
