import Bytes
import CLinux

/// Memory that is never swapped out or dumped, and is wiped before it is freed.
struct LockedMemory: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer

  /// Allocates `count` zeroed bytes; `nil` if the user may not lock that much.
  init?(count: Int) {
    guard let base = clinux_allocate_locked(count) else { return nil }
    memory = UnsafeMutableRawBufferPointer(start: base, count: count)
  }

  deinit {
    if let base = memory.baseAddress { clinux_free_locked(base, memory.count) }
  }

  /// Valid as long as this value. Traps out of bounds.
  func part(_ offset: Int, _ count: Int) -> UnsafeMutableRawBufferPointer {
    memory.part(offset, count)
  }
}
