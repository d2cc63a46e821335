import Expectations
import Glibc
import PrivateFiles
import TestSupport
import Testing

@Suite("who may read a file that takes another's place")
struct FileAccessTests {
  private let folder = TemporaryFolder()

  /// The permissions and the group of what replaces a file.
  private func replaced(_ access: FileAccess) throws -> stat {
    let failure = [UInt8]("new".utf8).withUnsafeBytes {
      replaceFile(folder["file"], with: $0, access: access)
    }
    expect(failure, is: 0)
    return try status
  }

  private var status: stat {
    get throws {
      var status = stat()
      guard stat(folder["file"], &status) == 0 else { throw Missing() }
      return status
    }
  }

  private struct Missing: Error {}

  @Test("permissions and group stay", arguments: [0o600, 0o640, 0o644, 0o400] as [mode_t])
  func stays(mode: mode_t) throws {
    folder.write([1], to: "file")
    // Only root may give a file to a group that it isn't in.
    if geteuid() == 0 { chown(folder["file"], .max, 4242) }
    chmod(folder["file"], mode)
    let before = try status
    let after = try replaced(FileAccess(ofFileAt: folder["file"]))
    expect(after.st_mode & 0o777, is: mode)
    expect(after.st_gid, is: before.st_gid)
    expect(after.st_ino != before.st_ino)
  }

  @Test("what replaces none is as private as it says")
  func new() throws {
    try expect(replaced(FileAccess(ofFileAt: folder["file"])).st_mode & 0o777, is: 0o600)
    try expect(replaced(FileAccess(mode: 0o644)).st_mode & 0o777, is: 0o644)
  }

  @Test("a temporary file is known by its name alone if it is one of ours")
  func temporary() {
    let name = temporaryName(of: "/a/file", for: 42)
    expect(temporaryOwner(name, of: "/a/file"), is: 42)
    for other in [
      "/a/file.42.tmp", "/a/file.llavero-0.tmp", "/a/file.llavero--1.tmp", "/a/file.llavero-042.tmp",
      "/a/file.llavero-x.tmp", "/a/file.llavero-42", "/a/file.llavero-99999999999.tmp",
      "/b/file.llavero-42.tmp",
    ] {
      expect(temporaryOwner(other, of: "/a/file"), is: nil, "\(other)")
    }
  }
}
