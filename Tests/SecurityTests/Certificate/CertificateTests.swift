import Expectations
import Foundation
import Keychain
import Properties
import Security
import TestSupport
import Testing

@Suite struct CertificateTests {
  @Test("what the fuzzer has found has what must hold for any bytes")
  func corpus() throws {
    try expect(Corpus.failures(of: "certificate", CertificateProperty.self), is: [])
  }

  /// Made with `openssl req -x509 -newkey ed25519 -subj '/O=Example/CN=Example Root'`.
  private static let root =
    Data(
      base64Encoded: """
        MIIBZzCCARmgAwIBAgIUR3Kie3ksxNpFcahWN+kWfjpriMAwBQYDK2VwMCkxEDAOBgNVBAoMB0V4\
        YW1wbGUxFTATBgNVBAMMDEV4YW1wbGUgUm9vdDAeFw0yNjExMjEyMzI5NTBaFw0zNjExMTgyMzI5\
        NTBaMCkxEDAOBgNVBAoMB0V4YW1wbGUxFTATBgNVBAMMDEV4YW1wbGUgUm9vdDAqMAUGAytlcAMh\
        APW4yhw8peuv9sQUP+nVgdrpOwfeUfs0m6GifYJs4wd6o1MwUTAdBgNVHQ4EFgQU+l9/Gi9cnetu\
        1RZZBu+IARj0NDIwHwYDVR0jBBgwFoAU+l9/Gi9cnetu1RZZBu+IARj0NDIwDwYDVR0TAQH/BAUw\
        AwEB/zAFBgMrZXADQQDnpbyBWgR0+KZ8x0JlAQKDxqCTXbGR10byszHvK8rqmEFFDj1ptjdE/sFC\
        Vz/SVd5B2GFpZ4Sg61YsXUYVQxIO
        """) ?? Data()

  private static func hexadecimal(_ text: String) -> Data {
    Data(stride(from: 0, to: text.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) })
  }

  @Test(arguments: KeychainUnderTest.exact)
  func `a certificate's attributes are read from its data`(kind: KeychainUnderTest) throws {
    let calls = Calls(kind.make().keychain)
    let item: [String: Any] = [kSecClass: kSecClassCertificate, kSecValueData: Self.root]
    expect(calls.add(item), is: errSecSuccess)
    expect(calls.add(item), is: errSecDuplicateItem)
    let serial = Self.hexadecimal("4772A27B792CC4DA4571A85637E9167E3A6B88C0")
    let found = try #require(
      calls.attributes([kSecClass: kSecClassCertificate, kSecAttrSerialNumber: serial]))
    expect(found[kSecAttrSerialNumber] as? Data, is: serial)
    expect(
      found[kSecAttrSubjectKeyID] as? Data,
      is: Self.hexadecimal("FA5F7F1A2F5C9DEB6ED5165906EF88011 8F43432".filter { $0 != " " }))
    expect(found[kSecAttrLabel] as? String, is: "Example Root")
    expect(found[kSecAttrCertificateType] as? Int, is: 3)
    expect(found[kSecAttrCertificateEncoding] as? Int, is: 3)
    let name = Self.hexadecimal(
      "30293110300e060355040a0c074578616d706c653115301306035504030c0c4578616d706c6520526f6f74")
    expect(found[kSecAttrIssuer] as? Data, is: name)
    expect(found[kSecAttrSubject] as? Data, is: name)
    expect(found[kSecAttrPublicKeyHash] == nil)
    expect(found[kSecAttrAccessible] as? String, is: kSecAttrAccessibleAlways)
  }

  @Test func `what is given of a certificate stands before what its data says`() {
    let calls = Calls()
    let hash = Data(repeating: 7, count: 20)
    expect(
      calls.add([
        kSecClass: kSecClassCertificate, kSecValueData: Self.root, kSecAttrLabel: "mine",
        kSecAttrPublicKeyHash: hash,
      ]), is: errSecSuccess)
    let found = calls.attributes([kSecClass: kSecClassCertificate, kSecAttrPublicKeyHash: hash])
    expect(found?[kSecAttrLabel] as? String, is: "mine")
  }

  @Test func `a certificate comes and goes as a reference`() throws {
    let calls = Calls()
    let certificate = try #require(SecCertificateCreateWithData(nil, Self.root as CFData))
    expect(calls.add([kSecValueRef: certificate]), is: errSecSuccess)
    let found = calls.find([kSecClass: kSecClassCertificate, kSecReturnRef: true])
    let same = try #require(found as? SecCertificate)
    expect(SecCertificateCopyData(same), is: Self.root)
    expect(calls.delete([kSecValueRef: certificate]), is: errSecSuccess)
    expect(calls.status([kSecValueRef: certificate]), is: errSecItemNotFound)
  }

  @Test func `no part of a certificate is one, nor one with something behind it`() {
    expect(SecCertificateCreateWithData(nil, Self.root) != nil)
    for length in 0..<Self.root.count {
      expect(SecCertificateCreateWithData(nil, Self.root.prefix(length)) == nil)
    }
    expect(SecCertificateCreateWithData(nil, Self.root + [0]) == nil)
  }

  @Test func `a certificate whose length has a byte too many is none`() {
    expect(Self.root.prefix(4), is: Self.hexadecimal("30820167"))
    expect(
      SecCertificateCreateWithData(nil, Self.hexadecimal("3083000167") + Self.root.dropFirst(4)) == nil)
  }

  @Test func `a damaged certificate is read or refused, whatever the damage`() {
    var random = SeededGenerator(seed: 42)
    let bytes = [UInt8](Self.root)
    var refused = 0
    for _ in 0..<rounds(20_000) {
      if SecCertificateCreateWithData(nil, Data(random.mutated(bytes))) == nil { refused += 1 }
    }
    expect(refused > rounds(10_000))
  }

  @Test(arguments: [
    // A SEQUENCE whose length is longer than necessary, indefinite, or in four bytes.
    "30810402020101", "3080020101000000", "308400000003020101", "3003020101ff", "", "30", "3001", "1f8101",
    "30ffffffffffffffff",
  ])
  func `what isn't DER is no certificate`(text: String) {
    expect(SecCertificateCreateWithData(nil, Self.hexadecimal(text)) == nil)
  }

  @Test func `a key's class, type and tag come as numbers and data, however they were given`() {
    let calls = Calls()
    let key: [String: Any] = [
      kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeyType: kSecAttrKeyTypeRSA,
      kSecAttrApplicationTag: Data("tag".utf8),
    ]
    expect(calls.add(key.merging([kSecValueData: Data([1, 2])]) { $1 }), is: errSecSuccess)
    for (name, value) in [(kSecAttrApplicationTag, "other"), (kSecAttrKeySizeInBits, 2048)] as [(String, Any)]
    {
      expect(calls.add(key.merging([name: value]) { $1 }), is: errSecSuccess, "\(name)")
    }
    let found = calls.attributes(key.merging([kSecAttrKeySizeInBits: 0]) { $1 })
    expect(found?[kSecAttrKeyType] as? Int, is: 42)
    expect(found?[kSecAttrKeyClass] as? Int, is: 1)
    expect(found?[kSecAttrApplicationTag] as? Data, is: Data("tag".utf8))
  }
}
