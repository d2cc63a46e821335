import Bytes
import CSodium
import EncryptedFile
import Glibc
import Keychain
import TestSupport

/// Another program that reads the vault from its manual page alone, and is told what it should find.
final class OtherReader {
  private let requests: UnsafeMutablePointer<FILE>
  private let replies: UnsafeMutablePointer<FILE>
  private let process: pid_t

  /// - Parameter command: the program and its arguments.
  init(_ command: [String]) throws {
    var input: [Int32] = [0, 0]
    var output: [Int32] = [0, 0]
    guard pipe(&input) == 0, pipe(&output) == 0 else { throw Finding("no pipes") }
    process = try TestProgram.start(command, [.copy(of: input[0]), .copy(of: output[1]), .inherited])
    guard let requests = fdopen(input[1], "w"), let replies = fdopen(output[0], "r") else {
      throw Finding("\(command[0]) can't be talked to")
    }
    close(input[0])
    close(output[1])
    (self.requests, self.replies) = (requests, replies)
  }

  deinit {
    fclose(requests)
    fclose(replies)
    TestProgram.wait(for: process)
  }

  /// Has the vault read and compared with the state.
  func check(_ location: VaultLocation, _ state: KnownState, scratch: String) throws {
    let expected = scratch + "/expected"
    guard let file = fopen(expected, "w") else { throw Finding("\(expected) can't be written") }
    for known in state.items.values { fputs(line(known, nil) + "\n", file) }
    for gone in state.gone { fputs(line(gone.was, gone) + "\n", file) }
    fclose(file)
    fputs("\(location.vaultFile)\t\(location.identityFile)\t\(expected)\n", requests)
    fflush(requests)
    var buffer: UnsafeMutablePointer<CChar>?
    var size = 0
    defer { free(buffer) }
    guard getline(&buffer, &size, replies) > 0, let buffer else {
      throw Finding("the other reader has ended")
    }
    let reply = String(cString: buffer)
    if reply != "ok\n" { throw Finding("the other reader: \(reply)") }
  }

  private func line(_ known: KnownItem, _ gone: GoneItem?) -> String {
    let item = known.item
    var fields = [
      gone == nil ? "use" : "old", item.reference?.bytes.description ?? "", String(known.revision),
    ]
    fields += [item.creationDate, item.modificationDate].map { String($0?.milliseconds ?? 0) }
    fields.append(hexadecimal(SortKey.whole(of: item.key)))
    for text in [item.label, item.comment, item.itemDescription, item.creator, item.type] {
      fields.append(text.map { hexadecimal($0.bytes) } ?? "-")
    }
    fields.append(item.isDefault ? "default" : "-")
    var attributes: [String] = []
    item.furtherAttributes.forEach { attributes.append("\($0)=\(hexadecimal($1.bytes))") }
    fields.append(attributes.isEmpty ? "-" : attributes.joined(separator: ","))
    for text in [item.secretService.collection, item.secretService.contentType] {
      fields.append(text.map { hexadecimal($0.bytes) } ?? "-")
    }
    let lookup = item.secretService.lookup?.all.map {
      "\(hexadecimal($0.name.bytes))=\(hexadecimal($0.value.bytes))"
    }
    fields.append(lookup.map { "{\($0.sorted().joined(separator: ","))}" } ?? "-")
    let hasSecret = gone?.hasSecret ?? true
    let own = known.confidential
    let secrets = [own.secret, own.refreshToken, own.scheme].map { $0.map { digest($0.bytes) } }
    fields += (secrets + [own.expiry.map { String($0) }]).map { hasSecret ? $0 ?? "-" : "-" }
    if let gone { fields += [String(gone.retired.milliseconds), gone.why] }
    return fields.joined(separator: "\t")
  }

  private func digest(_ bytes: [UInt8]) -> String {
    var hash = [UInt8](repeating: 0, count: 32)
    crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
    return "\(hexadecimal(Array(hash[..<8]))):\(bytes.count)"
  }
}
