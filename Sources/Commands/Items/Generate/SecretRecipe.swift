import EncryptedFile
import Glibc
import Keychain

enum SecretRecipe {
  /// A number of characters, with at least one from each of the alphabets, which have none in common.
  case characters(Int, of: [[Unicode.Scalar]])
  case words(Int, separator: String)

  static let usualLength = 20

  /// Draws a secret; all possible ones are equally likely.
  func draw() -> Secret {
    switch self {
    case .characters(let count, let alphabets): Self.drawCharacters(count, alphabets)
    case .words(let count, let separator): Self.drawWords(count, separator)
    }
  }

  /// The entropy in bits: the logarithm to base 2 of the number of possible secrets.
  var bits: Double {
    switch self {
    case .characters(let count, let alphabets):
      Double(count) * log2(Double(alphabets.reduce(0) { $0 + $1.count }))
        + log2(Self.shareWithAll(count, alphabets.map(\.count)))
    case .words(let count, _): Double(count) * log2(Double(WordList.words.count))
    }
  }

  private static func drawCharacters(_ count: Int, _ alphabets: [[Unicode.Scalar]]) -> Secret {
    var text = Secret(capacity: count * 4)
    while true {
      // Start over: adding the missing characters instead would make some secrets likelier than others.
      text.truncate(to: 0)
      var isMissing = alphabets.map { _ in true }
      for _ in 0..<count {
        var number = RandomNumber.below(alphabets.reduce(0) { $0 + $1.count })
        for (index, alphabet) in alphabets.enumerated() {
          if number < alphabet.count {
            for byte in UTF8.encode(alphabet[number]) ?? .init() { text.append(byte) }
            isMissing[index] = false
            break
          }
          number -= alphabet.count
        }
      }
      if !isMissing.contains(true) { return text }
    }
  }

  private static func drawWords(_ count: Int, _ separator: String) -> Secret {
    let words = WordList.words
    var text = Secret(capacity: count * (8 + separator.utf8.count))
    for position in 0..<count {
      if position > 0 { text.append(contentsOf: ByteString(separator)) }
      text.append(contentsOf: ByteString(words[RandomNumber.below(words.count)]))
    }
    return text
  }

  /// The fraction of all texts of `length` characters with some from each of the alphabets of these sizes, by the
  /// principle of inclusion and exclusion over the missing alphabets.
  private static func shareWithAll(_ length: Int, _ sizes: [Int]) -> Double {
    let all = Double(sizes.reduce(0, +))
    var share = 0.0
    for lacking in 0..<(1 << sizes.count) {
      var rest = all
      var sign = 1.0
      for (index, size) in sizes.enumerated() where lacking >> index & 1 == 1 {
        rest -= Double(size)
        sign = -sign
      }
      share += sign * pow(rest / all, Double(length))
    }
    return share
  }
}
