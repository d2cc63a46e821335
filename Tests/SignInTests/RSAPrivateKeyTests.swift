import Bytes
import Expectations
import Testing

@testable import SignIn

struct RSAPrivateKeyTests {
  /// By OpenSSL, and too short to be anybody's.
  private static let key = """
    -----BEGIN RSA PRIVATE KEY-----
    MIIBOgIBAAJBAK/VdHBl9Le3EOuGNEScVB+zXsR3mUjmrDDL+erBMgwfJOFxEI/R
    kRQHCxBkTjEygKzkeSGdLgQ/vv8rppBNKb0CAwEAAQJAfpXQTv7Hj99GWhjy1hYp
    Ze0PI6fqfZY7jqG6WSwe6KPttrZJK/rQeqrhKwy4ObQxO6oaanbiPCP+B0qYQA0I
    oQIhANeDq+ZbeeqG4kP+dd7xK+9/G8uhxKcBLrjyVkJaZazpAiEA0N2AaIfNyVhY
    +zEWbAvoUWdHzQ8RC5rZiY5zJwC1AbUCIEFJDPDqcyM9mxt34SMZMfMKMVRde+IP
    dKToHINbOQPJAiBZjd+08iWmIx9j9NQsV56w6Ju8rK0eULLdbBqrqn3x0QIhAJgU
    JvThvbp1c7eGhGOX4MBMcP9guikg6XVW/B0BY9Nq
    -----END RSA PRIVATE KEY-----

    """

  /// The same key.
  private static let wrapped = """
    -----BEGIN PRIVATE KEY-----
    MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAr9V0cGX0t7cQ64Y0
    RJxUH7NexHeZSOasMMv56sEyDB8k4XEQj9GRFAcLEGROMTKArOR5IZ0uBD++/yum
    kE0pvQIDAQABAkB+ldBO/seP30ZaGPLWFill7Q8jp+p9ljuOobpZLB7oo+22tkkr
    +tB6quErDLg5tDE7qhpqduI8I/4HSphADQihAiEA14Or5lt56obiQ/513vEr738b
    y6HEpwEuuPJWQlplrOkCIQDQ3YBoh83JWFj7MRZsC+hRZ0fNDxELmtmJjnMnALUB
    tQIgQUkM8OpzIz2bG3fhIxkx8woxVF174g90pOgcg1s5A8kCIFmN37TyJaYjH2P0
    1CxXnrDom7ysrR5Qst1sGquqffHRAiEAmBQm9OG9unVzt4aEY5fgwExw/2C6KSDp
    dVb8HQFj02o=
    -----END PRIVATE KEY-----

    """

  private static let ofAnotherKind = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyuh2CNxMxbp3J5LI
    QHgQ9fScnKgwbYbSZZ2H6p2qpfmhRANCAARQRvM3EOnqH/kHqO1v7TH3u1aef81/
    puqkad+o8/zLI4dPaqgr5lD7MyD8pRnNZ1Z7udHG4bthDBkaRo7f15Ga
    -----END PRIVATE KEY-----

    """

  private static let encrypted = """
    -----BEGIN RSA PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,B889D05D51034785D138B1A71F9B1104

    -----END RSA PRIVATE KEY-----

    """

  /// The modulus' size, the public exponent, and both ends of the private one.
  private func numbers(_ text: String) -> [[UInt8]]? {
    RSAPrivateKey.withNumbers(of: Secret(text)) { numbers in
      [
        [UInt8(numbers.modulus.count), numbers.modulus[0]], Array(numbers.publicExponent),
        Array(numbers.privateExponent.prefix(2)) + Array(numbers.privateExponent.suffix(2)),
      ]
    }
  }

  private static let expected: [[UInt8]] = [[64, 0xaf], [1, 0, 1], [0x7e, 0x95, 0x08, 0xa1]]

  @Test(
    "a key is read in both forms, with what programs put around it",
    arguments: [
      key, wrapped, key.replacing("\n", with: "\r\n"), key.replacing("\n", with: " \n"),
      "Bag Attributes\n\n" + wrapped,
      key + "\n" + ofAnotherKind,
    ])
  func read(text: String) { expect(numbers(text), is: Self.expected) }

  @Test(
    "an encrypted key, one of another kind, a certificate, and text are none",
    arguments: [
      encrypted, ofAnotherKind, "", "-----BEGIN RSA PRIVATE KEY-----",
      key.replacing("RSA PRIVATE KEY", with: "CERTIFICATE"),
      key.replacing("MIIB", with: "MIIC"), wrapped.replacing("AQEFAASC", with: "AQIFAASC"),
    ])
  func refused(text: String) { expect(numbers(text), is: nil) }

  @Test("a key that is cut is none", arguments: [key, wrapped])
  func cut(text: String) throws {
    let lines = text.split(separator: "\n")
    let base64 = lines[1..<(lines.count - 1)].joined()
    for count in 0..<(base64.utf8.count / 4) {
      let cut = [lines[0], base64.prefix(4 * count), lines[lines.count - 1]].joined(separator: "\n")
      expect(numbers(cut), is: nil, "\(count)")
    }
  }
}
