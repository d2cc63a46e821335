import ArgumentParser
import Bytes
import EncryptedFile
import Glibc
import Keychain
import KeychainChoice
import ToolCommands

struct SyncCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Exchange changes of keychains that are shared through git",
    discussion: """
      A keychain added with 'llavero keychain add NAME git REMOTE' gets the changes of others, and sends yours. \
      llavero does this by itself: after each change, and before it says that there is no such item, at most every \
      five minutes. Changes that can't be sent wait here, and the exit status is 2.

      If somebody has put back an earlier state of the repository, or has rewritten its history, nothing is exchanged \
      until you say --accept-rewritten. You lose nothing by that: whatever the repository lacks is sent again.

      If this machine's copy is damaged or lost, --anew takes it from the repository, and puts aside the copy here. \
      With --accept-rewritten it may have any key there, also one that doesn't come from yours.
      """)

  @Argument("The keychain (default: all that are shared through git)", value: "name")
  var name: String?

  @Flag(help: "Go on from the repository as it is, although its history was rewritten")
  var acceptRewritten = false

  @Flag(name: .shortAndLong, help: "Replace a keychain that can't be opened with your copy without asking")
  var yes = false

  @Flag(help: "Take the keychain from the repository anew, and put this machine's copy aside")
  var anew = false

  @Flag(help: .hidden)
  var background = false

  @Flag(help: .hidden)
  var quick = false

  /// The name of a lease to take, or in the background to give back.
  @Option(help: .hidden)
  var lease: String?

  /// The lease's former holder.
  @Option(help: .hidden)
  var over: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if anew, name == nil { throw ValidationError("Name the keychain that is to be taken anew.") }
  }

  func run() throws {
    if background || quick { return try runForProgram() }
    var names: [String]
    if let name { names = [name] } else { names = try GitKeychain.all().map(\.name) }
    if names.isEmpty {
      try output.write([] as [JSONObject])
      throw KeychainError(
        "no keychain is shared through git", hint: "add one with 'llavero keychain add NAME git REMOTE'",
        status: .nothingMatched)
    }
    var results: [Result] = []
    for name in names {
      // An unknown name is a mistake in the command; all else is a result.
      var keychain = try GitKeychain(named: name)
      keychain.sync.isTold = true
      let isConfirmed = yes
      keychain.sync.mayReplace = {
        isConfirmed
          || KeychainSelection(mayPrompt: true).confirms(
            "Replace the repository's keychain with this machine's copy of \(name), for all members?",
            showing: "If they have removed you, that would only be in their way.\n") ?? false
      }
      do throws(KeychainError) {
        let outcome = try keychain.bringInStep(acceptsRewritten: acceptRewritten, isAnew: anew)
        results.append(Result(name: name, outcome: outcome))
      } catch {
        let waits = SharedKeychainSync.hasChanges(keychain.sync.keychain)
        results.append(Result(name: name, outcome: nil, failure: error, waits: waits))
      }
    }
    if output.json {
      try output.write(results.map(\.report))
    } else {
      for result in results { try result.write() }
    }
    if let failure = results.compactMap(\.failure).first { throw failure }
    for result in results {
      guard let refusal = result.outcome?.refusal else { continue }
      throw KeychainError(
        "the keychain \(result.name): changes made here stay here, because the repository refuses them: \(refusal)",
        status: .keychain)
    }
  }

  /// Behind a change, or while a tool waits: prints nothing, and notes failures.
  private func runForProgram() throws {
    if background { Self.closeOutput() }
    // ssh would ask on the terminal, in the middle of another program's answer.
    if quick { Terminal.leave() }
    guard let name else { return }
    do {
      let keychain = try GitKeychain(
        named: name, isQuick: quick, mayAsk: false,
        timeout: quick && lease != nil ? GitKeychain.leaseTimeout : nil)
      if let lease { return try turn(lease, keychain) }
      // Others of the same moment go with it.
      if background { usleep(UInt32.random(in: 100_000...300_000)) }
      let outcome = try keychain.bringInStep(isQueued: background)
      if outcome.refusal != nil { Program.end(ExitStatus.keychain.rawValue) }
    } catch {
      Program.end(ExitStatus.keychain.rawValue)
    }
  }

  private func turn(_ lease: String, _ keychain: GitKeychain) throws {
    if background {
      // The next holder needs the changes made under the lease. If they can't be sent now, others wait for its end.
      if let over, try keychain.bringInStep().refusal == nil {
        try keychain.sync.repository.endLease(lease, of: over)
      }
      return
    }
    let answer =
      switch try keychain.sync.takeLease(lease, over: over) {
      case .taken(let holder): "taken \(holder)"
      case .held(let holder): "held \(holder)"
      case .unknown: "unknown"
      case .failed: "failed"
      }
    try StandardStreams.write("\(answer)\n")
  }

  /// The program that started this goes on when the output is closed.
  private static func closeOutput() {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return }
    for descriptor: Int32 in 0...2 { dup2(null, descriptor) }
    close(null)
  }

  private struct Result {
    let name: String
    let outcome: SharedKeychainSync.Outcome?
    var failure: KeychainError?
    var waits = false

    func write() throws {
      guard let outcome else { return }
      var parts: [String] = []
      if outcome.received > 0 { parts.append("\(countText(outcome.received, "item")) came") }
      if outcome.sent > 0 { parts.append("\(countText(outcome.sent, "record")) went") }
      if outcome.tookKey { parts.append("it has a new key") }
      if outcome.mended > 0 { parts.append("unreadable files were replaced") }
      if parts.isEmpty { parts = [outcome.refusal == nil ? "in step" : "nothing came"] }
      try StandardStreams.write("\(name): \(parts.joined(separator: ", "))\n")
      GitKeychain.tell(outcome, of: name)
      for folder in outcome.putAside { StandardStreams.say("the former copy is in \(folder)") }
    }

    var report: JSONObject {
      ["keychain": name, "inStep": outcome != nil && outcome?.refusal == nil]
        + (outcome?.report ?? ["waiting": waits, "problem": failure?.message])
    }
  }
}

extension SharedKeychainSync.Outcome {
  fileprivate var report: JSONObject {
    [
      "received": received, "overridden": overridden, "sent": sent, "withFormerKey": withFormerKey.ifAny,
      "waiting": waiting > 0, "attempts": attempts, "putAside": putAside.ifAny, "newKey": tookKey.ifTrue,
      "problem": refusal,
    ]
  }
}
