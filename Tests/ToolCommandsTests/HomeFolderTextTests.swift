import Expectations
import Foundation
import Testing

@testable import ToolCommands

@Suite("the home folder in a text") struct HomeFolderTextTests {
  private let home = ProcessInfo.processInfo.environment["HOME"] ?? "/"

  @Test(
    "is a tilde where a path begins with it, and where a shell would read that back",
    arguments: [
      ("H/.gitconfig:", "~/.gitconfig:"), ("(H/a), H/b", "(~/a), ~/b"),
      ("'llavero import netrc H/.netrc'", "'llavero import netrc ~/.netrc'"),
    ])
  func shortened(text: String, shown: String) {
    expect(withTilde(text.replacingOccurrences(of: "H", with: home)), is: shown)
  }

  @Test(
    "stays where it is part of another path, or a shell wouldn't read a tilde",
    arguments: ["Hs/x", "in H", "/mntH/x", "'H/my file'", "\"H/x\"", "A=H/x", "unix:path=H/bus", "x", ""])
  func kept(text: String) {
    let text = text.replacingOccurrences(of: "H", with: home)
    expect(withTilde(text), is: text)
  }
}
