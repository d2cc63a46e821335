import EncryptedFile
import Glibc
import Keychain
import TestSupport

/// A sequence of steps that starts from nothing.
struct Trial {
  let steps: [Step]
  /// The size of its items.
  let scale: Int
  /// The interval of steps at which another program reads the vault too.
  let readEvery: Int

  /// Performs the steps. Returns the step that found an error, and the error.
  func run(in folder: String, _ reader: OtherReader?) -> (step: Int, Finding)? {
    removeAll(folder)
    mkdir(folder, 0o700)
    defer { removeAll(folder) }
    let clock = SettableClock()
    var machines = Machines(in: folder, clock)
    for (number, step) in steps.enumerated() {
      do {
        try machines.perform(step, scale: scale)
        var choices = Choices(step.entropy &+ 1, scale: scale)
        try machines.current.check(&choices)
        if let reader, number % readEvery == 0, machines.current.generation > 0 {
          try reader.check(machines.current.location, machines.current.state, scratch: folder)
        }
      } catch {
        return (number, (error as? Finding) ?? Finding("\(error)"))
      }
    }
    return nil
  }

  /// A shorter sequence that still finds an error: parts are left out as long as it does.
  func shrunk(in folder: String, _ reader: OtherReader?, until: Int) -> Trial {
    var steps = Array(steps[...until])
    var size = max(1, steps.count / 2)
    while true {
      var position = 0
      var hasShrunk = false
      while position < steps.count {
        var fewer = steps
        fewer.removeSubrange(position..<min(steps.count, position + size))
        if let (last, _) = Trial(steps: fewer, scale: scale, readEvery: readEvery).run(in: folder, reader) {
          steps = Array(fewer[...last])
          hasShrunk = true
        } else {
          position += size
        }
      }
      if size == 1, !hasShrunk { break }
      size = max(1, size / 2)
    }
    return Trial(steps: steps, scale: scale, readEvery: readEvery)
  }

  /// The text that ``init(replaying:readEvery:)`` takes.
  var text: String { "\(scale):" + steps.map(\.description).joined(separator: ",") }

  init(steps: [Step], scale: Int, readEvery: Int) {
    (self.steps, self.scale, self.readEvery) = (steps, scale, readEvery)
  }

  init?(replaying text: String, readEvery: Int) {
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, let scale = Int(parts[0]) else { return nil }
    let words = parts[1].split { $0 == "," || $0 == "\n" }
    let steps = words.compactMap { Step($0) }
    guard steps.count == words.count else { return nil }
    self.init(steps: steps, scale: scale, readEvery: readEvery)
  }
}
