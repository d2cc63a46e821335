import EncryptedFile
import Keychain

extension Failure {
  init(_ fault: KeychainError.ForwardingFault) {
    switch fault {
    case .noSocket:
      self.init(
        "no keychain is forwarded to this machine: SSH_AUTH_SOCK is not set",
        hint: "log in with 'ssh -A', after 'llavero forward setup' for this host on your own machine",
        status: .keychain)
    case .unreachable(let path, let errno):
      let isNamed = VaultLocation.environmentVariable("LLAVERO_FORWARD") == path
      self.init(
        "no keychain is forwarded to this machine: nobody answers at \(path) (\(errorText(errno)))",
        hint: isNamed
          ? "LLAVERO_FORWARD names that socket; start the program behind it, or unset the variable to use a keychain here"
          : "log in again: the connection that it came with is gone",
        status: .keychain)
    case .ended(let path):
      self.init(
        "the forwarded keychain is gone: \(path) has closed the connection",
        hint: "see whether the agent runs with 'llavero forward status' on your own machine",
        status: .keychain)
    case .otherUser(let path, let uid):
      self.init(
        "\(path) belongs to another user (uid \(uid)) and is not used",
        hint: "if you trust that user, name the socket with LLAVERO_FORWARD", status: .keychain)
    case .otherAgent(let path):
      self.init(
        "the agent at \(path) forwards no keychain",
        hint: "on your own machine, run 'llavero forward setup' for this host, and log in again",
        status: .keychain)
    case .noAnswer(let path, let milliseconds):
      self.init(
        "the forwarded keychain has not answered within \(milliseconds) milliseconds: \(path)",
        hint: "log in again if the connection hangs", status: .keychain)
    case .notUnderstood:
      self.init(
        "the answer of the forwarded keychain can't be understood",
        hint: "update llavero on both machines", status: .keychain)
    case .refused:
      self.init(
        "the other machine does not allow this",
        hint: "allow it there with 'llavero forward allow', with --write to store or delete",
        status: .keychain)
    case .unverified:
      self.init(
        "the other machine can't tell which host asks",
        hint: "only OpenSSH 8.9 and later says so; use 'llavero forward socket' for other clients",
        status: .keychain)
    case .locked:
      self.init(
        "the keychain on the other machine is locked", hint: "run 'llavero unlock' there", status: .keychain)
    case .unavailable:
      self.init(
        "the keychain on the other machine can't be used", hint: "run 'llavero doctor' there",
        status: .keychain)
    case .notWritable:
      self.init(
        "the keychain on the other machine can't be written", hint: "run 'llavero doctor' there",
        status: .keychain)
    case .changed:
      self.init(
        "gave up: others keep changing the same items on the other machine", hint: "try again",
        status: .keychain)
    case .unusableAttribute:
      self.init("the keychain on the other machine can't hold such an item", status: .keychain)
    case .malformed:
      self.init(
        "the other machine does not understand the request", hint: "update llavero there", status: .keychain)
    case .undecided:
      self.init(
        "nobody on the other machine has answered in time", hint: "try again, and answer the question there",
        status: .keychain)
    case .busy:
      self.init("the other machine has too many requests at once", hint: "try again", status: .keychain)
    case .unknown:
      self.init(
        "the other machine refuses for a reason that this version doesn't know",
        hint: "update llavero on this machine", status: .keychain)
    }
  }
}
