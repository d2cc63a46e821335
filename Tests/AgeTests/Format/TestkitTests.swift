import Age
import Expectations
import Testing

@Suite(.enabled(if: Vector.isPresent, "the age test kit is not at \(Vector.folder); set LLAVERO_AGE_TESTKIT"))
struct TestkitTests {
  /// Vectors whose only identity is a post-quantum one, which this library doesn't support. It ignores their stanzas,
  /// whose type it doesn't know, so that nothing matches. All other vectors end exactly as the kit says.
  static let withoutHybrid: [String: String] = [
    "hybrid": "no match: the only stanza is hybrid",
    "hybrid_and_x25519": "no match: the X25519 stanza is for an identity that the vector doesn't give",
    "hybrid_grease": "no match: the only stanza that isn't grease is hybrid",
    "hybrid_identity": "no match: the fault is inside the hybrid stanza",
    "hybrid_long_share": "no match: the fault is inside the hybrid stanza",
    "hybrid_multiple_recipients": "no match: all stanzas are hybrid",
    "hybrid_not_canonical_enc": "no match: the fault is inside the hybrid stanza",
    "hybrid_short_share": "no match: the fault is inside the hybrid stanza",
  ]

  @Test("a vector ends as it must and releases just what it may", arguments: Vector.all)
  func outcome(_ vector: Vector) throws {
    let identities = try Self.identities(of: vector)
    var hash = SHA256()
    let outcome = vector.file.withUnsafeBytes { file in
      Self.outcome {
        try AgeFile.decrypt(file, encoding: vector.isArmored ? .armored : .binary, with: identities) {
          hash.update($0)
        }
      }
    }
    let released = hash.finish()
    if Self.needsHybrid(vector), outcome != vector.expectation {
      expect(outcome, is: "no match", "\(Self.withoutHybrid[vector.name] ?? "its stanzas are unknown here")")
      expect(released, is: Self.hashOfNothing)
    } else {
      expect(outcome, is: vector.expectation)
      expect(released, is: vector["payload"] ?? Self.hashOfNothing)
    }
  }

  @Test("the vectors that need a hybrid identity are known by name")
  func count() {
    let all = Vector.all.count
    let exceptions = Vector.all.count { Self.withoutHybrid[$0.name] != nil }
    print("age test kit: \(all - exceptions) of \(all) vectors exact, \(exceptions) need a hybrid identity")
    expect(all > 0)
    expect(Vector.all.allSatisfy { Self.withoutHybrid[$0.name] == nil || Self.needsHybrid($0) })
  }

  @Test("a vector that succeeds has the file key it names and a header that encodes to itself")
  func headers() throws {
    var count = 0
    for vector in Vector.all where vector.expectation == "success" && !Self.needsHybrid(vector) {
      let file = vector.isArmored ? try decodeArmor(vector.file) : vector.file
      let header = try Header(file)
      let fileKey = try header.fileKey(with: try Self.identities(of: vector))
      let key = fileKey.withUnsafeBytes { hex($0) }
      let encoded = try Header.encode(stanzas: header.stanzas, fileKey: fileKey)
      expect(key, is: vector["file key"], "\(vector.name)")
      expect(encoded, is: Array(file[..<header.encodedSize]), "\(vector.name)")
      count += 1
    }
    expect(count > 0)
  }

  @Test("random access reads the same, and refuses what is cut or extended before it reads anything")
  func randomAccess() throws {
    for vector in Vector.all where !Self.needsHybrid(vector) {
      guard ["success", "payload failure"].contains(vector.expectation) else { continue }
      let file = vector.isArmored ? try decodeArmor(vector.file) : vector.file
      let identities = try Self.identities(of: vector)
      let outcome = Self.outcome {
        var reader = try makeReader(file, with: identities)
        let contents = try readAll(&reader)
        var hash = SHA256()
        contents.withUnsafeBytes { hash.update($0) }
        expect(hash.finish(), is: vector["payload"], "\(vector.name)")
      }
      expect(outcome, is: vector.expectation, "\(vector.name)")
    }
  }

  private static let hashOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// Whether the vector has only post-quantum identities.
  private static func needsHybrid(_ vector: Vector) -> Bool {
    let identities = vector.values("identity")
    return !identities.isEmpty && vector.values("passphrase").isEmpty
      && identities.allSatisfy { $0.hasPrefix("AGE-SECRET-KEY-PQ-1") }
  }

  private static func identities(of vector: Vector) throws -> [any Identity] {
    var identities: [any Identity] = []
    for text in vector.values("identity") {
      if text.hasPrefix("AGE-SECRET-KEY-PQ-1") {
        #expect(throws: AgeError.invalidKey(.unsupportedKind)) { try X25519Identity.parse(text) }
      } else {
        identities.append(try X25519Identity.parse(text))
      }
    }
    for text in vector.values("passphrase") { identities.append(try ScryptIdentity.make(text)) }
    return identities
  }

  private static func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "success"
    } catch let error as AgeError {
      switch error {
      case .noMatch: return "no match"
      case .headerMAC: return "HMAC failure"
      case .header, .workFactorTooHigh: return "header failure"
      case .payload: return "payload failure"
      case .armor: return "armor failure"
      default: return "\(error)"
      }
    } catch {
      return "\(error)"
    }
  }
}
