// vault-model: performs random sequences of all operations on a vault, beside a model of the result. After each step
// the vault is opened again and compared with the model, history included; sometimes another program reads it too.

import EncryptedFile
import Glibc
import Keychain
import TestSupport

/// Writes to standard error.
func complain(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
}

let usage = """
  usage: vault-model [--seed N] [--steps N] [--length N] [--without KIND,...] [--reader PROGRAM --read-every N]
                     [--folder FOLDER] [--replay TEXT]
  --steps N       how many steps in all (2000)
  --length N      how many in the longest sequence; each begins with no vault (300)
  --seed N        what the sequences are drawn from (the clock)
  --reader P      a program that reads vaults by their manual page
  --read-every N  at which steps it does (1: at each)
  --replay TEXT   does the steps that a finding has printed, and no others

  """

var options: [String: String] = [:]
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
  guard
    ["--seed", "--steps", "--length", "--without", "--reader", "--read-every", "--folder", "--replay"]
      .contains(name),
    let value = arguments.popFirst()
  else {
    complain(usage)
    exit(64)
  }
  options[name] = value
}

/// Writes a line to standard output, without buffering.
func say(_ text: String) {
  _ = Array((text + "\n").utf8).withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func number(_ text: String?, _ name: String, _ fallback: Int) -> Int {
  guard let text else { return fallback }
  guard let value = Int(text), value > 0 else {
    complain("vault-model: \(name) takes a number from 1\n")
    exit(64)
  }
  return value
}

let seed = UInt64(number(options["--seed"], "--seed", Int(Timestamp.now.milliseconds)))
let total = number(options["--steps"], "--steps", 2000)
let length = number(options["--length"], "--length", 300)
let readEvery = number(options["--read-every"], "--read-every", 1)
let without = Set(
  (options["--without"] ?? "").split(separator: ",").map { name -> Step.Kind in
    guard let kind = Step.Kind(rawValue: String(name)) else {
      complain("vault-model: no such kind of step: \(name)\n")
      exit(64)
    }
    return kind
  })
let folder = (options["--folder"] ?? "/tmp") + "/vault-model-\(getpid())"

func report(_ trial: Trial, _ step: Int, _ finding: Finding, in folder: String, _ reader: OtherReader?)
  -> Never
{
  say("FOUND at step \(step) of \(trial.steps.count), \(trial.steps[step]): \(finding)")
  let shrunk = trial.shrunk(in: folder, reader, until: step)
  if let (step, finding) = shrunk.run(in: folder, reader) {
    say("shrunk to \(shrunk.steps.count) steps, \(shrunk.steps[step]): \(finding)")
  }
  say("again: vault-model --replay '\(shrunk.text)'")
  removeAll(folder)
  exit(1)
}

let reader = try options["--reader"].map { try OtherReader($0.split(separator: " ").map(String.init)) }
if let text = options["--replay"] {
  guard let trial = Trial(replaying: text, readEvery: readEvery) else {
    complain("vault-model: that is no sequence of steps\n")
    exit(64)
  }
  if let (step, finding) = trial.run(in: folder, reader) { report(trial, step, finding, in: folder, reader) }
  say("\(trial.steps.count) steps: nothing found")
  exit(0)
}

let start = Timestamp.now
var done = 0
var round: UInt64 = 0
while done < total {
  var generator = SeededGenerator(seed: seed &+ round &* 0x9E37_79B9)
  // Most are short, so that vaults are small and steps fast.
  let part = generator.number(in: 1..<1001)
  let count = max(min(10, length), length * part * part / 1_000_000)
  let steps = Step.sequence(&generator, count: min(count, total - done), without: without)
  // Small items, some that fill a chunk, many large ones.
  let trial = Trial(steps: steps, scale: [0, 1, 0, 0, 2, 0, 1, 0][Int(round % 8)], readEvery: readEvery)
  if let (step, finding) = trial.run(in: folder, reader) {
    say("seed \(seed): after \(done + step) steps")
    report(trial, step, finding, in: folder, reader)
  }
  done += steps.count
  round += 1
  if round % 500 == 0 {
    say("\(done) of \(total) steps, \((Timestamp.now.milliseconds - start.milliseconds) / 1000) s")
  }
}
let seconds = (Timestamp.now.milliseconds - start.milliseconds) / 1000
say("seed \(seed): \(done) steps in \(seconds) s, nothing found")
