import Bytes
import Expectations
import Glibc
import Keychain
import PrivateFiles
import TestSupport
import Testing

@testable import Forwarding

@Suite("the log of requests") struct RequestLogTests {
  private let folder = TemporaryFolder()

  private func request(_ place: String) -> LoggedRequest {
    LoggedRequest(
      date: .now, hosts: [.socket("box")], keys: [], tool: "git", action: "get", place: place, account: nil,
      outcome: .answered, fault: nil)
  }

  private func lines(_ log: LineLog, _ position: inout LineLog.Position) -> [String] {
    var lines: [String] = []
    log.read(from: &position) { lines.append(String(decoding: $0, as: UTF8.self)) }
    return lines
  }

  @Test("what has come since is read once, and whole")
  func followed() {
    let log = LineLog.ofRequests(in: folder.path)
    var position = LineLog.Position()
    expect(lines(log, &position), is: [])
    log.append(request("one"))
    log.append(request("two"))
    expect(lines(log, &position).count, is: 2)
    expect(lines(log, &position), is: [])
    log.append(request("three"))
    let last = lines(log, &position)
    expect(last.count, is: 1)
    expect(last.first?.contains("\"place\":\"three\"") ?? false)
    var status = stat()
    expect(stat(folder["forward.log"], &status), is: 0)
    expect(status.st_mode & 0o777, is: 0o600)
  }

  @Test("a reader loses nothing when the file is replaced")
  func replaced() {
    let log = LineLog(in: folder.path, named: "forward.log", maximumSize: 100_000)
    var position = LineLog.Position()
    let filler = String(repeating: "x", count: 100)
    var seen: [String] = []
    for number in 0..<800 {
      log.append(request("\(number) \(filler)"))
      if number % 100 == 99 { seen += lines(log, &position) }
    }
    seen += lines(log, &position)
    expect(access(folder["forward.log.1"], F_OK), is: 0)
    expect(seen.count, is: 800)
    for (number, line) in seen.enumerated() { expect(line.contains("\"place\":\"\(number) x")) }
    // Somebody who reads from the beginning has the two files that are kept, in order.
    var beginning = LineLog.Position()
    let kept = lines(log, &beginning)
    expect(kept.count > 1)
    expect(kept, is: Array(seen.suffix(kept.count)))
  }
}
