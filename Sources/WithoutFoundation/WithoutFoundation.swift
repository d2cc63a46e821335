// What ArgumentParser takes of FoundationEssentials, under the names that the linker looks for: Package.swift gives this
// module that one's name in symbols. Foundation's own would come with dates, locales and attributed text, a quarter of
// llavero. Two things need it there. One is whether an error is localized: none here is. The other is the dump of a
// program's help for ArgumentParser's plugins, which llavero hasn't.

import Glibc

/// The protocol that ArgumentParser asks errors for. Nothing conforms to it.
public protocol LocalizedError: Error {
  /// The error in the user's language.
  var errorDescription: String? { get }
}

/// The class that would write the dump. Nothing of it is used but its initializer, which ends the program.
open class JSONEncoder {
  /// How the dump would look.
  public struct OutputFormatting: OptionSet, Sendable {
    /// In lines.
    public static let prettyPrinted = OutputFormatting(rawValue: 1)
    /// With members in order.
    public static let sortedKeys = OutputFormatting(rawValue: 2)

    /// The sum of the options.
    public let rawValue: UInt

    /// Options by their sum.
    public init(rawValue: UInt) { self.rawValue = rawValue }
  }

  /// Says where the help is, and ends the program with `EX_USAGE`.
  public init() {
    let text: StaticString =
      "llavero: there is no dump of the help; read 'llavero help' and the manual pages\n"
    _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    exit(EX_USAGE)
  }
}

/// What the class would return.
public struct Data: Sendable {}

extension String {
  /// The encodings that the class's result would be read in.
  public struct Encoding: Sendable {
    /// UTF-8.
    public static let utf8 = Encoding()
  }

  /// `nil`: there is no result to read.
  public init?(data: __shared Data, encoding: Encoding) { return nil }
}
