package import Bytes
import CLinux
package import Forwarding
import Glibc
import JSON
import Keychain
import PrivateFiles

/// What hosts have asked for, a line of JSON each. It holds no secret.
package struct LoggedRequest: Sendable {
  /// What became of a request.
  package enum Outcome: String, Hashable, Sendable {
    /// It was answered with a secret.
    case answered
    /// It was answered with nothing: there is nothing, or nothing that the host may have.
    case nothing
    /// A list was given.
    case listed
    /// Something was stored, changed or erased.
    case changed
    /// It was refused.
    case refused
    /// The keychain could not be used.
    case failed
    /// Nobody has decided in time.
    case undecided
    /// Whoever asked went away.
    case cancelled
  }

  /// When it came.
  package var date: Timestamp
  /// The hosts on the way, the nearest first, as rules name them.
  package var hosts: [ForwardedHost]
  /// The fingerprints of their keys.
  package var keys: [String]
  /// The tool, as the other side names it.
  package var tool: ByteString
  /// What was asked for.
  package var action: String
  /// The place, if one was named.
  package var place: String?
  /// The account, if one was named or has answered.
  package var account: ByteString?
  /// What became of it.
  package var outcome: Outcome
  /// Why it was refused, if the sender was told.
  package var fault: ForwardFault?

  /// The largest place, and account, in bytes: the other side names them, and must not fill the log with a few.
  private static let maximumText = 1024

  /// Puts together what is known of a request.
  package init(
    date: Timestamp, hosts: [ForwardedHost], keys: [String], tool: ByteString, action: String, place: String?,
    account: ByteString?, outcome: Outcome, fault: ForwardFault?
  ) {
    self.date = date
    self.hosts = hosts
    self.keys = keys
    self.tool = tool
    self.action = action
    self.place = place.map { $0.utf8.count > Self.maximumText ? "\($0.prefix(Self.maximumText / 4))…" : $0 }
    self.account = account.map {
      $0.bytes.count > Self.maximumText ? ByteString(Array($0.bytes.prefix(Self.maximumText / 4))) : $0
    }
    self.outcome = outcome
    self.fault = fault
  }

  /// The line, with a line feed.
  package var line: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("date", date)
    json.beginArray("hosts")
    for host in hosts { json.element(ByteString(host.description)) }
    json.endArray()
    json.beginArray("keys")
    for key in keys { json.element(ByteString(key)) }
    json.endArray()
    json.member("tool", shown(tool))
    json.member("action", ByteString(action))
    json.member("place", place.map { shown(ByteString($0)) })
    json.member("account", account.map(shown))
    json.member("outcome", ByteString(outcome.rawValue))
    json.member("fault", fault.map { ByteString($0.rawValue) })
    json.endObject()
    return json.finishLine()
  }
}

/// The file with what hosts have asked for. Two files are kept, and the older one is replaced when the newer is full.
package final class RequestLog {
  private let folder: String

  /// The name of the newer file.
  package static let name = "forward.log"
  /// The name of the older file.
  package static let formerName = "forward.log.1"
  private let maximumSize: Int

  /// - Parameters:
  ///   - folder: where the files are.
  ///   - maximumSize: the size at which a file is full, in bytes. Of requests, it is some tens of thousands.
  package init(in folder: String, maximumSize: Int = 8 << 20) {
    self.folder = folder
    self.maximumSize = maximumSize
  }

  /// How far somebody has read.
  package struct Position {
    fileprivate var file: UInt64?
    fileprivate var offset = 0

    /// Before the first line.
    package init() {}
  }

  /// Passes on each line that has come since, without its end.
  ///
  /// - Throws: what `body` throws.
  package func read<Failure: Error>(
    from position: inout Position, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let newer = OpenLog("\(folder)/\(Self.name)")
    if newer?.file != position.file || newer == nil, let older = OpenLog("\(folder)/\(Self.formerName)"),
      position.file == nil || position.file == older.file
    {
      if position.file == nil { position.offset = 0 }
      try older.read(from: &position.offset, body)
      position.file = nil
    }
    guard let newer else { return }
    if position.file != newer.file {
      position.file = newer.file
      position.offset = 0
    }
    try newer.read(from: &position.offset, body)
  }

  /// Adds a line. If that isn't possible, nothing is lost but the line.
  package func append(_ request: LoggedRequest) {
    guard let folder = try? Folder(creating: folder) else { return }
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    let file = clinux_openat(folder.descriptor, Self.name, flags, 0o600)
    if file < 0 { return }
    defer { close(file) }
    request.line.withUnsafeBytes { line in
      _ = write(file, line.baseAddress, line.count)
    }
    var status = stat()
    if fstat(file, &status) == 0, status.st_size >= maximumSize {
      renameat(folder.descriptor, Self.name, folder.descriptor, Self.formerName)
    }
  }
}

/// A file of the log that is being read.
private final class OpenLog {
  let file: UInt64
  private let descriptor: Int32

  init?(_ path: String) {
    let descriptor = clinux_openat(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0)
    if descriptor < 0 { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    file = UInt64(status.st_ino)
  }

  deinit { close(descriptor) }

  /// Reads whole lines from an offset, which is moved behind them.
  func read<Failure: Error>(
    from offset: inout Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(offset + bytes.count))
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0a) {
      let line = Array(bytes[start..<end])
      offset += line.count + 1
      start = end + 1
      try line.lendingBytes(body)
    }
  }
}
