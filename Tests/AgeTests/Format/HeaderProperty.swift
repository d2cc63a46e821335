import Bytes
import Properties

@testable import Age

/// The properties of any bytes as a header, and of any stanzas.
enum HeaderProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkAsHeader(input)
    try checkAsStanzas(input)
  }

  private static func checkAsHeader(_ bytes: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let header: Header
    do throws(AgeError) {
      header = try Header(parsing: bytes)
    } catch {
      guard case .header(let fault) = error else {
        throw PropertyFailure("the error is the header's: \(error)")
      }
      try require(
        FileEncoding.detect(bytes) == .binary || fault == .notAge || fault == .truncated, "\(fault)")
      return
    }
    let size = header.encodedSize
    try require(size <= bytes.count, "a header ends within the file")
    try require(FileEncoding.detect(bytes) == .binary, "what has a header is detected as a binary file")
    let own = bytes[..<size]
    try require(encode(header).elementsEqual(own), "there is one form of a header")

    // The rest of the file doesn't matter, and missing bytes are requested.
    for rest in [[], Array(own.suffix(macLine + 12)), Array("-> x\n\n".utf8)] {
      let again = try require("a header is one whatever follows") { () throws(AgeError) in
        try parse(Array(own) + rest)
      }
      try require(isEqual(again, header), "a header is the same whatever follows")
    }
    for count in [size - 1, size - macLine, size - macLine - 1, Int(header.mac[0]) % size, size / 2] {
      try require(
        fault { () throws(AgeError) in try parse(own.prefix(count)) } == .truncated, "more is asked for")
    }

    try checkWriting(header.stanzas)
    try checkUnwrapping(header)
  }

  /// Stanzas that can be written are read unchanged, and are authentic only with their key.
  private static func checkWriting(_ stanzas: [Stanza]) throws(PropertyFailure) {
    let fileKey = key(1)
    let text: [UInt8]
    do throws(AgeError) {
      text = try Header.encode(stanzas: stanzas, fileKey: fileKey)
    } catch {
      try require(error == .header(.scryptNotAlone), "stanzas that were read can be written")
      try require(
        stanzas.count > 1 && stanzas.contains { $0.type == "scrypt" }, "an scrypt stanza isn't alone")
      return
    }
    let header = try require("a header that was written is one") { () throws(AgeError) in try parse(text) }
    try require(
      header.stanzas == stanzas && header.encodedSize == text.count, "stanzas come back as they were")
    try require("the key that made the MAC verifies it") { () throws(AgeError) in try header.verify(fileKey) }
    do throws(AgeError) {
      try header.verify(key(2))
    } catch {
      return try require(error == .headerMAC, "another key fails for that reason")
    }
    throw PropertyFailure("another key doesn't verify a header")
  }

  /// A stanza that an identity takes for its own can at most be rejected.
  private static func checkUnwrapping(_ header: Header) throws(PropertyFailure) {
    guard header.stanzas.contains(where: { $0.type == "X25519" || $0.type == "scrypt" }) else { return }
    do throws(AgeError) {
      _ = try header.fileKey(with: identities)
    } catch {
      switch error {
      case .noMatch, .headerMAC, .header(.x25519Stanza), .header(.x25519LowOrder), .header(.scryptStanza),
        .header(.scryptNotAlone), .workFactorTooHigh:
        return
      default: throw PropertyFailure("an identity refuses for a reason of its own: \(error)")
      }
    }
  }

  /// Uses the input's lines as types, arguments and bodies.
  private static func checkAsStanzas(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    var stanzas: [Stanza] = []
    for line in input.split(separator: 0x0a, omittingEmptySubsequences: false).prefix(20) {
      let words = line.prefix(while: { $0 != 0x09 }).split(separator: 0x20, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
      let isSpeakable = words.allSatisfy { word in
        !word.isEmpty && word.utf8.allSatisfy { 0x21...0x7e ~= $0 }
      }
      do {
        let type = words.first ?? ""
        let stanza = try Stanza(
          type: type, arguments: Array(words.dropFirst()), body: Array(line.drop { $0 != 0x09 }.dropFirst()))
        try require(isSpeakable, "only visible ASCII makes a stanza")
        stanzas.append(stanza)
      } catch let failure as PropertyFailure {
        throw failure
      } catch {
        try require(
          error as? AgeError == .header(.stanzaArguments) && !isSpeakable, "visible ASCII makes a stanza")
      }
    }
    if !stanzas.isEmpty { try checkWriting(stanzas) }
  }

  /// `--- `, 43 columns and a line feed.
  private static let macLine = 48

  private static let identities: [any Identity] = {
    let phrase = Array("rosebud".utf8)
    let passphrase = phrase.withUnsafeBytes { try? ScryptIdentity(passphrase: $0, maximumLogN: 2) }
    return [X25519Identity()] + (passphrase.map { [$0 as any Identity] } ?? [])
  }()

  private static func key(_ byte: UInt8) -> FileKey {
    do throws(AgeError) {
      return try lend([UInt8](repeating: byte, count: FileKey.size)) { (bytes) throws(AgeError) in
        try FileKey(bytes: bytes)
      }
    } catch {
      fatalError("a file key of \(FileKey.size) bytes")
    }
  }

  /// The text of a header from its parts, as C2SP's age.md describes it.
  private static func encode(_ header: Header) -> [UInt8] {
    var text = Array("age-encryption.org/v1\n".utf8)
    for stanza in header.stanzas { stanza.encode(appendingTo: &text) }
    return text + "--- \(lend(header.mac) { Base64.encode($0) })\n".utf8
  }

  private static func parse(_ bytes: some Collection<UInt8>) throws(AgeError) -> Header {
    try lend(bytes) { (bytes) throws(AgeError) in try Header(parsing: bytes) }
  }

  private static func fault(_ body: () throws(AgeError) -> Header) -> HeaderFault? {
    do throws(AgeError) {
      _ = try body()
      return nil
    } catch {
      guard case .header(let fault) = error else { return nil }
      return fault
    }
  }

  private static func isEqual(_ left: Header, _ right: Header) -> Bool {
    left.stanzas == right.stanzas && left.mac == right.mac && left.encodedSize == right.encodedSize
  }
}
