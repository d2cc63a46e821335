import Bytes
import Properties

@testable import Forwarding

/// The properties of any bytes as what an agent's peers send and what `known_hosts` holds.
enum SSHBytesProperty: Property {
  static func check(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    try checkFrames(input)
    try checkKeys(input)
    try checkBind(input)
    checkKnownHosts(input)
  }

  /// Frames are the same whether bytes arrive at once or singly.
  private static func checkFrames(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    let atOnce = frames([input])
    let singly = frames(input.indices.map { input.part($0, 1) })
    try require(atOnce == singly, "frames don't depend on how their bytes arrive")
    for frame in atOnce {
      frame.withUnsafeBytes { bytes in
        let message = AgentMessage(bytes.part(AgentFrame.headSize, bytes.count - AgentFrame.headSize))
        _ = try? QueryExtension.names(in: message)
      }
    }
  }

  private static func frames(_ pieces: [UnsafeRawBufferPointer]) -> [[UInt8]] {
    var frames = AgentFrames(maximumLength: 256)
    var taken: [[UInt8]] = []
    for piece in pieces {
      frames.append(piece)
      while case .frame(let size) = frames.next { taken.append(frames.take(size) { Array($0) }) }
    }
    return taken
  }

  /// A key has one encoding, and what is signed of a certificate is its beginning.
  private static func checkKeys(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    if let key = try? PublicKey(parsing: input) {
      try require(key.encoded.elementsEqual(input), "a key has one encoding")
      try require((try? HostCertificate(parsing: input)) == .some(nil), "a key is no certificate")
    }
    if let certificate = try? HostCertificate(parsing: input) {
      try require(input.starts(with: certificate.signed), "what is signed is the certificate's beginning")
      try require((try? PublicKey(parsing: input)) == nil, "a certificate is no key")
      try require(
        certificate.principals.count <= HostCertificate.maximumPrincipals, "principals are bounded")
    }
    if let signature = try? HostSignature(parsing: input), case .ecdsa(let curve, let r, let s) = signature {
      try require(max(r.count, s.count) <= curve.coordinateSize, "a signature's numbers are bounded")
    }
  }

  private static func checkBind(_ input: UnsafeRawBufferPointer) throws(PropertyFailure) {
    guard let bind = try? SessionBind(parsing: input) else { return }
    var contents: [UInt8] = []
    for field in [bind.hostKey, bind.sessionID, bind.signature] { contents.append(wireString: field) }
    contents.append(bind.isForwarding ? 1 : 0)
    try require(contents.elementsEqual(input), "a bind has one encoding")
  }

  private static func checkKnownHosts(_ input: UnsafeRawBufferPointer) {
    var known = KnownHosts()
    known.append(input)
    guard let host = HostName("far.example") else { return }
    for entry in known.entries {
      _ = entry.hosts.match(host) { salt, name in salt + name }
      _ = known.plainNames(of: entry.key)
    }
  }
}
