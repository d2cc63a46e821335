import Expectations
import Foundation
import Testing

@testable import ToolCommands

@Suite("the home folder in a text") struct HomeFolderTextTests {
  private let home = ProcessInfo.processInfo.environment["HOME"] ?? "/"

  /// Where it is part of another path, or a shell wouldn't read a tilde.
  private static let kept = [
    "Hs/x", "in H", "/mntH/x", "'H/my file'", "\"H/x\"", "A=H/x", "unix:path=H/bus", "x", "",
  ]

  @Test(
    "is a tilde where a path begins with it, and where a shell would read that back",
    arguments: [
      ("H/.gitconfig:", "~/.gitconfig:"), ("(H/a), H/b", "(~/a), ~/b"),
      ("'llavero import netrc H/.netrc'", "'llavero import netrc ~/.netrc'"),
    ] + kept.map { ($0, $0) })
  func shortened(text: String, shown: String) {
    let (text, shown) = (text.replacing("H", with: home), shown.replacing("H", with: home))
    expect(withTilde(text), is: shown)
  }
}
