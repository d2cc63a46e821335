/// The reason why a file as a whole doesn't have the expected format. Contains nothing of the file.
public struct FormatFault: Error, Hashable {
  /// The problem, in lower case: `it has no column "password"`.
  public let reason: String
  /// The line, counting from 1, if the problem is in a certain line.
  public let line: Int?
  /// If the problem is the encoding, the probable one, by its name for iconv(1).
  public let encoding: String?

  /// Makes an error.
  public init(_ reason: String, line: Int? = nil, encoding: String? = nil) {
    self.reason = reason
    self.line = line
    self.encoding = encoding
  }
}
