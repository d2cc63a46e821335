import Bytes
import Glibc
import Keychain
import Synchronization
import ToolCommands

/// The program of a command line. It replaces this process, or this process waits for it, to do something afterwards.
struct ProgramRun {
  let arguments: [CString]
  private let brokenPipe: sighandler_t?

  /// A shell's exit statuses for a program that can't be executed, and for one that isn't found.
  private static let cannotExecute: Int32 = 126
  private static let notFound: Int32 = 127

  /// Make this before a keychain is opened: GLib ignores SIGPIPE, and the program would inherit that.
  init(_ arguments: [CString]) {
    self.arguments = arguments
    brokenPipe = signal(SIGPIPE, SIG_DFL)
    signal(SIGPIPE, brokenPipe)
  }

  /// Restores everything that this process has changed for itself.
  func prepare(_ selection: KeychainSelection) {
    if let descriptor = selection.passphraseDescriptor, descriptor > 2 { close(descriptor) }
    ProcessSettings.takeBack()
    signal(SIGPIPE, brokenPipe)
  }

  /// Replaces the process with the program. Returns the exit status if it can't be executed.
  func become(_ environment: borrowing ProgramEnvironment) -> Int32 {
    failed(environment.withVariables { ProgramSearch.become(arguments, $0) })
  }

  /// Runs the program, waits for it, and returns the exit status.
  ///
  /// - Parameter mask: the secrets to hide in its output, unless that is a terminal.
  /// - Throws: ``KeychainError`` if there are no pipes.
  func wait(
    _ supervised: borrowing SupervisedProgram, _ environment: borrowing ProgramEnvironment,
    _ mask: SecretMask? = nil
  ) throws(KeychainError) -> Int32 {
    var outputs: [FilteredOutput] = []
    if mask != nil { outputs = try Self.pipes() }
    let outcome = supervised.run(arguments, environment, outputs) {
      guard let mask else { return }
      for output in outputs { output.start(mask.filter()) }
    }
    switch outcome {
    case .ended(let ending):
      for output in outputs { output.wait() }
      switch ending {
      case .exited(let status): return status
      case .killed(let signal): return 128 + signal
      }
    case .failed(let number): return failed(number)
    }
  }

  /// A pipe for each output that isn't a terminal, or one for both if they are the same.
  private static func pipes() throws(KeychainError) -> [FilteredOutput] {
    let outputs = [1, 2].filter { (descriptor: Int32) in !StandardStreams.isTerminal(descriptor) }
    var (first, second) = (stat(), stat())
    let areSame =
      outputs.count == 2 && fstat(1, &first) == 0 && fstat(2, &second) == 0 && first.st_dev == second.st_dev
      && first.st_ino == second.st_ino
    if areSame { return [try FilteredOutput([1, 2])] }
    var pipes: [FilteredOutput] = []
    for descriptor in outputs { pipes.append(try FilteredOutput([descriptor])) }
    return pipes
  }

  private func failed(_ failure: Int32) -> Int32 {
    StandardStreams.say("cannot run \(arguments[0].text): \(errorText(failure))")
    return failure == ENOENT || failure == ENOTDIR ? Self.notFound : Self.cannotExecute
  }
}

/// The secrets to hide in a program's output.
final class SecretMask: Sendable {
  private let secrets: Secret
  private let ranges: [Range<Int>]

  init(_ resolved: borrowing ResolvedReferences, _ variables: borrowing ProgramVariables) {
    var secrets = Secret()
    var ranges: [Range<Int>] = []
    resolved.forEachSecret { Self.add($0, to: &secrets, &ranges) }
    variables.forEachSecret { Self.add($0, to: &secrets, &ranges) }
    self.secrets = secrets
    self.ranges = ranges
  }

  private static func add(
    _ secret: UnsafeRawBufferPointer, to secrets: inout Secret, _ ranges: inout [Range<Int>]
  ) {
    ranges.append(secrets.count..<(secrets.count + secret.count))
    secrets.append(secret)
  }

  /// A filter for one stream.
  func filter() -> FilteredOutput.Filter {
    let stream = MaskedStream(hiding: self)
    return { bytes, isEnd in stream.pass(bytes, isEnd) }
  }

  fileprivate func forEach(_ body: (UnsafeRawBufferPointer) -> Void) {
    secrets.withUnsafeBytes { secrets in
      for range in ranges { body(UnsafeRawBufferPointer(rebasing: secrets[range])) }
    }
  }
}

private final class MaskedStream: Sendable {
  private let mask: Mutex<OutputMask>

  init(hiding secrets: SecretMask) {
    mask = Mutex(OutputMask(hiding: secrets.forEach))
  }

  func pass(_ bytes: UnsafeRawBufferPointer, _ isEnd: Bool) -> Secret {
    mask.withLock { $0.pass(bytes, isEnd: isEnd) }
  }
}
