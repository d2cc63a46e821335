import Age
import EncryptedFile
import Glibc
import Keychain
import TestSupport

extension Machine {
  /// The damage to a vault that is restored.
  private enum Loss: CaseIterable {
    /// The file is gone.
    case file
    /// The contents are damaged; the header is intact.
    case payload
    /// The header's MAC is damaged; the contents can still be read.
    case headerMAC
  }

  /// Damages the vault, and restores it by `restore` or `salvage`. It then has the expected contents, and opens with
  /// what opened it last, after a question if nothing proves what that was.
  func putBack(_ choices: inout Choices) throws {
    guard generation > 0 else { return }
    let kept = try keychain.generations().map { generation in
      (generation, FileNumber(generation.path, generation.number).flatMap { earlier[$0] })
    }
    guard let newest = kept.first else { return }
    let isSalvaged = choices.chance(2)
    let chosen = isSalvaged ? newest : kept[choices.index(kept.count)]
    // A generation from elsewhere, whose contents are unknown.
    guard let then = chosen.1, let last = newest.1 else { return }
    var loss = choices.generator.pick(Loss.allCases)
    let good = try contents(of: location.vaultFile)
    let header = try good.withUnsafeBytes { try Header(parsing: $0) }
    // In a larger one, only some parts could be read.
    // This machine's copy of the file may be lost with it.
    let hasCopy = choices.chance(2) && hasNewestWrite
    if loss == .payload, isSalvaged, !hasCopy, good.count - header.encodedSize > PayloadLayout.chunkSize {
      loss = .file
    }
    if loss == .headerMAC, isSalvaged, !hasCopy, then.isEven(with: state) { loss = .file }

    let slots = Set(header.stanzas.filter { $0.type == "llavero/slot" }.map { $0.arguments[1] })
    let copies = copiesOfSlots()
    let recipientBefore = try contents(of: location.identityFile)
    var bad = good
    if !hasCopy { unlink(newestWrite) }
    switch loss {
    case .file: unlink(location.vaultFile)
    case .payload:
      // In the first chunk, which contains the first line.
      bad[header.encodedSize + 20] ^= 1
    case .headerMAC:
      let place = header.encodedSize - 20
      bad[place] = bad[place] == 0x41 ? 0x42 : 0x41
    }
    if loss != .file { try put(bad, into: location.vaultFile) }
    let before = state
    // The newest state that can be read counts as what was in the vault.
    if !hasCopy {
      written = try reopened().verify(newest.0).written
      if !isSalvaged { state = last }
    }
    try putBack(chosen.0, then, isSalvaged: isSalvaged, loss, hasCopy: hasCopy)

    guard try contents(of: location.identityFile) == recipientBefore else {
      throw Finding("putting a vault back has changed the identity file")
    }
    let after = Set(
      try contents(of: location.vaultFile).withUnsafeBytes { try Header(parsing: $0) }.stanzas
        .filter { $0.type == "llavero/slot" }.map { $0.arguments[1] })
    let expected = loss == .payload || hasCopy ? slots : copies ?? (loss == .headerMAC ? slots : nil)
    if let expected, after != expected {
      throw Finding("after \(loss), \(after.sorted()) open the vault, and should \(expected.sorted())")
    }
    guard copiesOfSlots() ?? [] == after else { throw Finding("the copies of the slots are others") }
    keychain = reopened()
    if !hasCopy {
      passphrases.ofUnknown.formUnion(try (keychain.slots() ?? []).filter(\.isOfUnknown).map(\.id))
    }
    // Its history now depends on which parts of it were kept.
    knowsPast = false
    try settle(before, mayWriteAnyway: true)
    try rebuildMemory()
  }

  private func putBack(
    _ chosen: Generation, _ then: KnownState, isSalvaged: Bool, _ loss: Loss, hasCopy: Bool
  ) throws {
    var questions = 0
    let confirm = { (ways: ReturningWays) in
      questions += 1
      return true
    }
    if isSalvaged {
      var status = stat()
      stat(location.vaultFile, &status)
      let date = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
      let wasWritten = try reopened().verify(chosen).written
      let salvage = try reopened().salvage(confirm: confirm)
      if hasCopy {
        guard salvage.base?.number == generation else { throw Finding("salvage misses the last write") }
      } else {
        guard salvage.base == chosen else { throw Finding("salvage takes another state for the newest") }
        var expected = then
        if loss == .headerMAC {
          expected.merge(
            state, base: nil, losersRetireAt: max(wasWritten, Timestamp(milliseconds: date)))
        }
        state = expected
      }
    } else {
      _ = try reopened().restore(chosen, confirm: confirm)
      putBack(then)
    }
    // A file whose header is damaged may be newer than the copy.
    let isProven = loss == .payload || loss == .file && hasCopy
    if isProven, questions > 0 { throw Finding("it is asked what an authentic header says") }
    let opens = try reopened().slots()?.contains { $0.kind != .identityFile } ?? false
    if !isProven, opens, questions != 1 {
      throw Finding("of what nothing proves \(questions) questions are asked")
    }
  }

  /// The identifiers of the slots beside the vault; `nil` if there is no folder for them.
  private func copiesOfSlots() -> Set<String>? {
    let folder = location.vaultFolder + "/slots"
    if access(folder, F_OK) != 0 { return nil }
    return Set(names(in: folder).filter { $0.hasSuffix(".age") }.map { String($0.dropLast(4)) })
  }
}
