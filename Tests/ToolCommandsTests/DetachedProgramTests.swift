import Expectations
import Keychain
import TestSupport
import Testing
import ToolCommands

@Suite("A program that goes on by itself", .aheadOfOthers) struct DetachedProgramTests {
  @Test("can be ended, whatever this process holds back when it starts it")
  func endable() throws {
    let held = HeldSignals()
    defer { withExtendedLifetime(held) {} }
    let (said, _) = try DetachedProgram.start("/bin/grep", ["grep", "SigBlk", "/proc/self/status"])
    expect(said, is: "SigBlk:\t0000000000000000\n")
  }
}
