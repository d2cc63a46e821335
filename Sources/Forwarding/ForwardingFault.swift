import EncryptedFile
import Glibc
package import Keychain

/// Why a keychain on another machine can't be used, or didn't do what was asked.
package enum ForwardingFault: KeychainFault {
  /// No agent was forwarded to this machine: its socket's variable isn't set.
  case noSocket
  /// Nobody listens at the socket any more, or this `errno` keeps it out of reach.
  case unreachable(path: String, errno: Int32)
  /// The socket belongs to another user.
  case otherUser(path: String, uid: UInt32)
  /// The agent at the socket forwards no keychain.
  case otherAgent(path: String)
  /// The agent at the socket has not answered in time.
  case noAnswer(path: String, milliseconds: Int)
  /// The connection ended before the answer came.
  case ended(path: String)
  /// The answer can't be understood.
  case notUnderstood
  /// The other machine has not done it.
  case answered(ForwardFault)
}

extension KeychainError {
  /// A keychain on another machine can't be reached, or can't do this.
  package static func forwarding(_ fault: ForwardingFault) -> KeychainError { KeychainError(fault) }
}

extension ForwardingFault {
  package var kind: KeychainError.Kind {
    switch self {
    case .noSocket, .unreachable, .otherUser, .otherAgent, .ended: .unreachable
    case .noAnswer: .timedOut
    case .answered(.refused), .answered(.unverified): .forbidden
    case .answered(.locked): .locked
    case .answered(.undecided): .undecided
    case .answered(.notWritable): .notWritable
    case .answered(.unusableAttribute): .unusable
    case .answered(.busy): .busy
    case .notUnderstood, .answered: .unavailable
    }
  }

  package var failure: Failure {
    switch self {
    case .noSocket:
      Failure(
        "no keychain is forwarded to this machine: SSH_AUTH_SOCK is not set",
        hint: "log in with 'ssh -A', after 'llavero forward setup' for this host on your own machine",
        status: .keychain)
    case .unreachable(let path, let errno):
      Failure(
        "no keychain is forwarded to this machine: nobody answers at \(path) (\(errorText(errno)))",
        hint: VaultLocation.environmentVariable("LLAVERO_FORWARD") == path
          ? "LLAVERO_FORWARD names that socket; start the program behind it, or unset the variable to use a keychain here"
          : "log in again: the connection that it came with is gone",
        status: .keychain)
    case .ended(let path):
      Failure(
        "the forwarded keychain is gone: \(path) has closed the connection",
        hint: "see whether the agent runs with 'llavero forward status' on your own machine",
        status: .keychain)
    case .otherUser(let path, let uid):
      Failure(
        "\(path) belongs to another user (uid \(uid)) and is not used",
        hint: "if you trust that user, name the socket with LLAVERO_FORWARD", status: .keychain)
    case .otherAgent(let path):
      Failure(
        "the agent at \(path) forwards no keychain",
        hint: "on your own machine, run 'llavero forward setup' for this host, and log in again",
        status: .keychain)
    case .noAnswer(let path, let milliseconds):
      Failure(
        "the forwarded keychain has not answered within \(milliseconds) milliseconds: \(path)",
        hint: "log in again if the connection hangs", status: .keychain)
    case .notUnderstood:
      Failure(
        "the answer of the forwarded keychain can't be understood",
        hint: "update llavero on both machines", status: .keychain)
    case .answered(let fault): fault.failure
    }
  }
}

extension ForwardFault {
  fileprivate var failure: Failure {
    switch self {
    case .refused:
      Failure(
        "the other machine does not allow this",
        hint: """
          'llavero forward allow' there allows it, or 'llavero forward run --allow' for a sandbox, each with --write for \
          changes
          """,
        status: .keychain)
    case .unverified:
      Failure(
        "the other machine can't tell which host asks",
        hint: "only OpenSSH 8.9 and later says so; use 'llavero forward socket' for other clients",
        status: .keychain)
    case .locked:
      Failure(
        "the keychain on the other machine is locked", hint: "run 'llavero unlock' there", status: .keychain)
    case .unavailable:
      Failure(
        "the keychain on the other machine can't be used", hint: "run 'llavero doctor' there",
        status: .keychain)
    case .notWritable:
      Failure(
        "the keychain on the other machine can't be written", hint: "run 'llavero doctor' there",
        status: .keychain)
    case .changed:
      Failure(
        "gave up: others keep changing the same items on the other machine", hint: "try again",
        status: .keychain)
    case .unusableAttribute:
      Failure("the keychain on the other machine can't hold such an item", status: .keychain)
    case .malformed:
      Failure(
        "the other machine does not understand the request", hint: "update llavero there", status: .keychain)
    case .undecided:
      Failure(
        "nobody on the other machine has answered in time", hint: "try again, and answer the question there",
        status: .keychain)
    case .busy:
      Failure("the other machine has too many requests at once", hint: "try again", status: .keychain)
    case .unknown, .duplicate, .notFound, .tooLarge:
      Failure(
        "the other machine refuses for a reason that this version doesn't know",
        hint: "update llavero on this machine", status: .keychain)
    }
  }
}
