import Bytes
import CSecret
import Glibc
import Keychain
import SecretService

/// A file that a program passed with a call; closed after its last use.
final class PassedDescriptor: Sendable {
  private let number: Int32

  init(taking number: Int32) { self.number = number }

  deinit { close(number) }

  /// Writes all bytes and returns true, or fails at once if that would take time: the program chooses the file, and
  /// must not hold up others.
  func write(_ secret: borrowing Secret) -> Bool {
    // A pipe that can be written to has room for a page (pipe(7)).
    guard secret.count <= 4096 else { return false }
    var poll = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    guard Glibc.poll(&poll, 1, 0) == 1, poll.revents & Int16(POLLOUT) != 0 else { return false }
    return secret.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) == $0.count }
  }
}

extension MethodCall {
  /// The file passed as an argument.
  ///
  /// - Throws: ``ServiceError/invalidArguments(_:)`` if none was passed.
  func descriptor(_ argument: TypedVariant) throws(ServiceError) -> PassedDescriptor {
    guard let number = passedDescriptor(argument.handle) else {
      throw .invalidArguments("no file was passed")
    }
    return PassedDescriptor(taking: number)
  }
}
