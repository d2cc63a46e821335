import Bytes
import CLinux
import Glibc

/// An executable beside this one that loads system libraries, and so can't start everywhere.
package struct Companion {
  package let name: String
  package let path: String

  /// The reason why a companion can't be started.
  package struct Obstacle: Error {
    /// Worded to follow "because".
    package let reason: String
    package let remedy: String

    package init(reason: String, remedy: String) { (self.reason, self.remedy) = (reason, remedy) }
  }

  /// Finds it; see ``Executables/companion(_:)``.
  ///
  /// If one of its libraries is neither in a usual folder nor in the loader's cache, the loader may still know other
  /// folders, so the program is tried.
  ///
  /// - Throws: ``Obstacle`` to starting it, as far as files tell.
  package init(_ name: String) throws(Obstacle) {
    guard let path = Executables.companion(name) else { throw Self.absence(of: name) }
    (self.name, self.path) = (name, path)
    guard let program = LoadedProgram(path) else { return }
    defer { program.close() }
    if let loader = program.loader, access(loader, X_OK) != 0 {
      throw Obstacle(
        reason: "\(name) needs the C library glibc, and its loader \(loader) is missing",
        remedy: "use a system with glibc, or the keychain 'file'")
    }
    let opened = name == Executables.network ? [Self.libcurl] : []
    let missing = LibraryFolders().missing(of: program.libraries + opened)
    guard let library = missing.first, !starts() else { return }
    let package = SystemPackages.package(of: library).map { "the package \($0)" } ?? "the package that has it"
    throw Obstacle(reason: "the library \(library) of \(name) is missing", remedy: "install \(package)")
  }

  private static func absence(of name: String) -> Obstacle {
    let places = Executables.places(of: name)
    if places.isEmpty {
      return Obstacle(
        reason: "\(name) can't be found where /proc isn't mounted",
        remedy: "mount it, or use the keychain 'file'")
    }
    if let path = places.first(where: { access($0, F_OK) == 0 }) {
      return Obstacle(reason: "\(path) isn't executable", remedy: "install \(name) anew")
    }
    let library = name == Executables.network ? libcurl : "libsecret-1.so.0"
    let package = SystemPackages.package(of: library) ?? library
    return Obstacle(
      reason: "\(name) is not installed", remedy: "install the package \(name), and with it \(package)")
  }

  /// The obstacle to starting a companion, as far as files tell.
  package static func obstacle(of name: String) -> Obstacle? {
    do throws(Obstacle) {
      _ = try Companion(name)
      return nil
    } catch {
      return error
    }
  }

  package static func remedy(for name: String) -> String {
    obstacle(of: name)?.remedy
      ?? "run \(Executables.companion(name) ?? name) to see why, or install it anew"
  }

  /// Whether it starts at all, with all that it loads, within five seconds.
  package func starts() -> Bool {
    let outcome = try? ProgramOutput.record(
      [CString(copying: path), CString("--version")], timeout: 5000, limit: 4096)
    switch consume outcome {
    case .some(.ended(let record)): return record.ending == .exited(0)
    default: return false
    }
  }

  /// What `llavero-network` loads when it is needed.
  private static let libcurl = "libcurl.so.4"
}

private struct LibraryFolders {
  #if arch(arm64)
    private static let usual = ["/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
  #else
    private static let usual = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"]
  #endif

  func missing(of libraries: [String]) -> [String] {
    let elsewhere = libraries.filter { library in
      !Self.usual.contains { access("\($0)/\(library)", R_OK) == 0 }
    }
    if elsewhere.isEmpty { return [] }
    guard let cache = MappedFile("/etc/ld.so.cache") else { return elsewhere }
    defer { cache.close() }
    return elsewhere.filter { library in
      var library = library
      return !library.withUTF8 {
        clinux_contains(cache.bytes.baseAddress, cache.bytes.count, $0.baseAddress, $0.count)
      }
    }
  }
}

struct MappedFile {
  let bytes: UnsafeRawBufferPointer

  init?(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { Glibc.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0,
      let start = mmap(nil, Int(status.st_size), PROT_READ, MAP_PRIVATE, file, 0), start != MAP_FAILED
    else { return nil }
    bytes = UnsafeRawBufferPointer(start: start, count: Int(status.st_size))
  }

  func close() { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// The libraries of an executable (System V ABI, "Program Header" and "Dynamic Section", 64 bits).
private struct LoadedProgram {
  private let file: MappedFile
  /// The loader that the kernel starts first; `nil` for a static program.
  private(set) var loader: String?
  private(set) var libraries: [String] = []

  init?(_ path: String) {
    guard let file = MappedFile(path) else { return nil }
    self.file = file
    guard file.bytes.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2]) else { return }
    var segments: [Segment] = []
    for index in 0..<(number(at: 56, as: UInt16.self).map(Int.init) ?? 0) {
      guard let headers = number(at: 32, as: UInt64.self), let start = Int(exactly: headers),
        let segment = segment(at: start + index * 56)
      else { return }
      segments.append(segment)
    }
    if let segment = segments.first(where: { $0.kind == 3 }) { loader = text(at: segment.offset) }
    if let segment = segments.first(where: { $0.kind == 2 }) { readNames(of: segment, segments) }
  }

  func close() { file.close() }

  private struct Segment {
    let kind: UInt32
    let offset: Int
    let address: Int
    let size: Int
  }

  private func segment(at start: Int) -> Segment? {
    guard let kind = number(at: start, as: UInt32.self),
      let offset = number(at: start + 8, as: UInt64.self).flatMap(Int.init(exactly:)),
      let address = number(at: start + 16, as: UInt64.self).flatMap(Int.init(exactly:)),
      let size = number(at: start + 32, as: UInt64.self).flatMap(Int.init(exactly:))
    else { return nil }
    return Segment(kind: kind, offset: offset, address: address, size: size)
  }

  private mutating func readNames(of dynamic: Segment, _ segments: [Segment]) {
    var (names, table): ([Int], Int?) = ([], nil)
    for entry in stride(from: dynamic.offset, to: dynamic.offset + dynamic.size, by: 16) {
      guard let tag = number(at: entry, as: UInt64.self), tag != 0,
        let value = number(at: entry + 8, as: UInt64.self).flatMap(Int.init(exactly:))
      else { break }
      if tag == 1 { names.append(value) }
      if tag == 5 { table = value }
    }
    guard let table,
      let home = segments.first(where: { $0.kind == 1 && $0.address <= table && table - $0.address < $0.size }
      )
    else { return }
    libraries = names.compactMap { text(at: table - home.address + home.offset + $0) }
      .filter { library in loader?.hasSuffix("/" + library) != true }
  }

  private func number<Number: FixedWidthInteger & BitwiseCopyable>(
    at position: Int, as type: Number.Type
  ) -> Number? {
    guard position >= 0, position <= file.bytes.count - MemoryLayout<Number>.size else { return nil }
    return file.bytes.loadUnaligned(fromByteOffset: position, as: type)
  }

  private func text(at position: Int) -> String? {
    guard 0..<file.bytes.count ~= position,
      let end = file.bytes[position...].prefix(256).firstIndex(of: 0)
    else { return nil }
    return String(decoding: file.bytes[position..<end], as: UTF8.self)
  }
}
