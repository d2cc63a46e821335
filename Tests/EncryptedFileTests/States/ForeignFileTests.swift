import Expectations
import Glibc
import TestSupport
import Testing

@testable import EncryptedFile

@Suite("Files of others among the earlier states")
struct ForeignFileTests {
  @Test("what somebody else has put among the earlier states stays, and is in nobody's way")
  func foreign() throws {
    let place = Place()
    let keychain = place.keychain()
    for number in 0..<4 { try keychain.add(servers: ["\(number).example"]) }
    let folder = place.location.vaultFolder + "/generations"
    let foreign = ["notes.txt", ".notes.swp", "2-mybackup.age", "unmerged-notes.age", "unreadable-notes.age"]
    for name in foreign {
      let path = folder + "/" + name
      try put([1], into: path)
      let longAgo = timespec(tv_sec: time(nil) - 31 * 86_400, tv_nsec: 0)
      utimensat(AT_FDCWD, path, [longAgo, longAgo], 0)
    }
    mkdir(folder + "/photos", 0o700)
    let all = Set(foreign + ["photos"])
    try expect(keychain.generations().map(\.number), is: [3, 2, 1])
    try keychain.compact()
    expect(Set(names(in: folder)), is: all)
    for number in 0..<8 { try keychain.add(servers: ["\(number).org"]) }
    expect(Set(names(in: folder)).isSuperset(of: all))
    try keychain.rotate(dropping: [], passphrase: { _, _ in nil }, announce: { _ in })
    expect(Set(names(in: folder)), is: all)
    try keychain.add(servers: ["last.example"])
    expect(Set(names(in: folder)).isSuperset(of: all))
    try expect(place.keychain().unmergedFiles(), is: [])
  }
  @Test("a synchronizing program's copies of earlier states go with these")
  func copies() throws {
    let place = Place()
    let keychain = place.keychain()
    for number in 0..<3 { try keychain.add(servers: ["\(number).example"]) }
    let folder = place.location.vaultFolder + "/generations"
    for name in names(in: folder) {
      let stem = folder + "/" + name.dropLast(".age".count)
      for copy in [stem + ".sync-conflict-20261127-101112-ABCDEFG.age", stem + " (1).age", stem + ".age~"] {
        try put(contents(of: folder + "/" + name), into: copy)
      }
    }
    try put([1], into: folder + "/unmerged-0123abcd.sync-conflict-20261127-101112-ABCDEFG.age")
    try keychain.compact()
    expect(names(in: folder), is: [])
  }
}
